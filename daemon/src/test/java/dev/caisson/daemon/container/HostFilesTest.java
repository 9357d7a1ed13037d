package dev.caisson.daemon.container;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.library.ContainerSettings;
import dev.caisson.library.ContainerSettings.HostEntry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class HostFilesTest {
  private static final ContainerSettings NONE = ContainerSettings.of("x");
  private static final ContainerSettings HOST = NONE.withNetwork("host");

  @Tag("case-84")
  @Test
  void withTheHostsNetworkItsResolverIsCopiedUnchanged() {
    var host = "nameserver 127.0.0.53\noptions edns0 trust-ad\n";

    assertThat(HostFiles.resolver(HOST, host, new ArrayList<>())).isEqualTo(host);
  }

  @Tag("case-84")
  @Test
  void resolversOnTheHostsLoopbackAreDropped() {
    var host =
        "search corp.example.test\nnameserver 127.0.0.53\nnameserver 192.0.2.53\nnameserver ::1\n";

    assertThat(HostFiles.resolver(NONE, host, new ArrayList<>()))
        .isEqualTo("search corp.example.test\nnameserver 192.0.2.53\n");
  }

  @Tag("case-86")
  @Test
  void aUsersEntryForTheOwnNameReplacesTheUsualOne() {
    var settings = NONE.withHosts(List.of(new HostEntry("pod-one", "192.0.2.77")));

    assertThat(HostFiles.hosts(settings, "pod-one", new ArrayList<>()))
        .isEqualTo("127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost\n192.0.2.77\tpod-one\n");
    assertThat(HostFiles.hosts(NONE, "pod-one", new ArrayList<>()))
        .endsWith("127.0.0.1\tpod-one\n");
  }

  @Tag("case-87")
  @Test
  void aGatewayThatDoesNotExistIsLeftOutWithAWarning() {
    var warnings = new ArrayList<String>();
    var settings = NONE.withHosts(List.of(new HostEntry("gate", "host-gateway")));

    assertThat(HostFiles.hosts(settings, "c", warnings)).doesNotContain("gate");
    assertThat(warnings).singleElement().asString().contains("host-gateway");
  }
}
