package dev.caisson.daemon.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.library.CaissonException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IdentityTest {
  private static final String ODD_PASSWD =
      """
      root:x:0:0:root:/root:/bin/sh
      +::::::
      # local accounts below

      svc:x:1500:1500::/srv/svc:/bin/sh
      broken
      short:x:77
      weird:x:not-a-number:10::/:/bin/sh
      big:x:4294967296:10::/:/bin/sh
      neg:x:-1:10::/:/bin/sh
      empty:x:::::
       spaced : x : 1700 : 1700 : : / : /bin/sh
      svc:x:0:0:second entry of the same name:/root:/bin/sh
      crlf:x:1800:1800::/home/crlf:/bin/sh\r
      last:x:1600:1600::/home/last:/bin/sh\
      """;

  private static final String PASSWD = "app:x:1000:1000::/app:/bin/sh\n";
  private static final String GROUP =
      """
      app:x:1000:
      disk:x:6:app
      audio:x:29:other,app
      dup:x:29:app
      bad:x:zz:app
      last:x:50:app\
      """;

  private static Identity find(String wanted, String... groups) {
    return Identity.find(wanted, List.of(groups), false, PASSWD, GROUP);
  }

  @Tag("case-89")
  @ParameterizedTest
  @CsvSource({
    "root, 0, /root",
    "'', 0, /root",
    "svc, 1500, /srv/svc",
    "last, 1600, /home/last",
    "crlf, 1800, /home/crlf",
    "1600, 1600, /home/last",
    "4242, 4242, /"
  })
  void linesThatCannotBeReadHideNoOthers(String wanted, long uid, String home) {
    var found = Identity.find(wanted, List.of(), false, ODD_PASSWD, "");

    assertThat(found.uid()).isEqualTo(uid);
    assertThat(found.home()).isEqualTo(home);
  }

  @Tag("case-89")
  @ParameterizedTest
  @ValueSource(
      strings = {"weird", "big", "neg", "empty", "short", "broken", "+", "4294967295", "-1"})
  void aBadNumberIsAnErrorAndNeverRoot(String wanted) {
    assertThatThrownBy(() -> Identity.find(wanted, List.of(), false, ODD_PASSWD, ""))
        .isInstanceOf(CaissonException.class)
        .hasMessageContaining("user '" + wanted + "'");
  }

  @Tag("case-91")
  @Test
  void groupsOfTheImageAndThePrimaryOneAreInTheList() {
    assertThat(find("app").groups()).containsExactly(1000L, 6L, 29L, 50L);
    assertThat(find("1000").groups()).containsExactly(1000L, 6L, 29L, 50L);
    assertThat(find("app", "4000").groups()).containsExactly(1000L, 6L, 29L, 50L, 4000L);
    assertThat(find("1234").groups()).containsExactly(0L);
  }

  @Tag("case-91")
  @Test
  void anExplicitGroupTurnsTheImagesListOff() {
    assertThat(find("app:disk").gid()).isEqualTo(6);
    assertThat(find("app:disk").groups()).containsExactly(6L);
    assertThat(find("1000:2000").groups()).containsExactly(2000L);
    assertThatThrownBy(() -> find("app:nogrp")).hasMessageContaining("group 'nogrp'");
  }

  @Tag("case-91")
  @Test
  void strictGroupsAreThoseAskedForAndThePrimaryOne() {
    assertThat(Identity.find("app", List.of("4000"), true, PASSWD, GROUP).groups())
        .containsExactly(1000L, 4000L);
    assertThat(Identity.find("app", List.of("audio"), true, PASSWD, GROUP).groups())
        .containsExactly(1000L, 29L);
    assertThat(Identity.find("1234", List.of(), true, PASSWD, GROUP).groups()).containsExactly(0L);
  }

  @Tag("case-88")
  @Test
  void aGroupLineOfNineThousandMembersIsRead() {
    var members =
        IntStream.rangeClosed(1, 9000).mapToObj(n -> "member" + n).collect(Collectors.joining(","));
    var group = "root:x:0:\neveryone:x:3000:" + members + "\nops:x:3001:svc,member1\nsvc:x:1500:\n";

    var found = Identity.find("svc", List.of(), false, "svc:x:1500:1500::/srv:/bin/sh\n", group);

    assertThat(found.gid()).isEqualTo(1500);
    assertThat(found.groups()).containsExactly(1500L, 3001L);
  }
}
