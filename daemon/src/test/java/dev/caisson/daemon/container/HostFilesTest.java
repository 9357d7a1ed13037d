package dev.caisson.daemon.container;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.library.ContainerSettings;
import dev.caisson.library.ContainerSettings.HostEntry;
import dev.caisson.library.DnsSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostFilesTest {
  private static final ContainerSettings NONE = ContainerSettings.of("x");
  private static final ContainerSettings HOST = NONE.withNetwork("host");
  private static final ContainerSettings BRIDGE = NONE.withNetwork("bridge");

  private static String resolver(
      ContainerSettings settings, String host, String upstream, String... warnings) {
    var told = new ArrayList<String>();
    var text = HostFiles.resolver(settings, host, upstream, told);
    assertThat(told).hasSameSizeAs(warnings);
    for (int i = 0; i < warnings.length; i++) {
      assertThat(told.get(i)).contains(warnings[i]);
    }
    return text;
  }

  @Tag("case-84")
  @Test
  void withTheHostsNetworkItsResolverIsCopiedUnchanged() {
    var host = "nameserver 127.0.0.53\nnameserver fe80::1%eth0\noptions edns0 trust-ad\n";

    assertThat(resolver(HOST, host, "nameserver 192.0.2.1\n")).isEqualTo(host);
  }

  @Tag("case-84")
  @Test
  void resolversOnTheHostsLoopbackAreDropped() {
    var host =
        "search corp.example.test\nnameserver 127.0.0.53\nnameserver 192.0.2.53\nnameserver ::1\n";

    assertThat(resolver(NONE, host, "nameserver 192.0.2.1\n"))
        .isEqualTo("search corp.example.test\nnameserver 192.0.2.53\n");
  }

  @Tag("case-84")
  @Test
  void forAResolverOnTheLoopbackThoseBehindItAreTaken() {
    var host = "nameserver 127.0.0.53\noptions edns0 trust-ad\nsearch corp.example.test\n";

    assertThat(resolver(BRIDGE, host, "nameserver 192.0.2.9\nnameserver 2001:db8::53\n"))
        .isEqualTo("search corp.example.test\noptions edns0\nnameserver 192.0.2.9\n");
    assertThat(resolver(BRIDGE, host, "", "public ones"))
        .isEqualTo(
            "search corp.example.test\noptions edns0\nnameserver 1.1.1.1\nnameserver 8.8.8.8\n");
  }

  @Tag("case-84")
  @ParameterizedTest
  @ValueSource(strings = {"2001:db8::53", "fe80::1%eth0", "::ffff:127.0.0.1"})
  void anAddressOfAFamilyOrZoneThatThePodLacksIsDropped(String address) {
    var host = "nameserver " + address + "\nnameserver 192.0.2.53\n";

    assertThat(resolver(BRIDGE, host, "")).isEqualTo("nameserver 192.0.2.53\n");
  }

  @Tag("case-84")
  @ParameterizedTest
  @ValueSource(strings = {"", "nameserver 127.0.0.1\n", "nameserver\n", "\0\uFFFD\n"})
  void withoutAnyServerTheDefaultsAreTakenWithOneWarning(String host) {
    assertThat(resolver(BRIDGE, host, "", "public ones"))
        .isEqualTo("nameserver 1.1.1.1\nnameserver 8.8.8.8\n");
    assertThat(resolver(NONE, host, "")).isEmpty();
  }

  @Tag("case-84")
  @Test
  void moreServersThanAreAskedKeepTheirOrderWithAWarning() {
    var host =
        "nameserver 192.0.2.1\nnameserver 192.0.2.2\nnameserver 192.0.2.3\nnameserver 192.0.2.4\n";

    assertThat(resolver(BRIDGE, host, "", "first 3")).isEqualTo(host);
  }

  @Test
  void theUsersServersAreTakenAsTheyAre() {
    var settings =
        BRIDGE.withDns(new DnsSettings(List.of("::1", "127.0.0.1"), List.of("a"), List.of("b")));

    assertThat(resolver(settings, "nameserver 192.0.2.1\nsearch x\n", ""))
        .isEqualTo("search a\noptions b\nnameserver ::1\nnameserver 127.0.0.1\n");
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
