package dev.caisson.daemon.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.engine.spec.Rlimit;
import dev.caisson.library.CaissonException;
import dev.caisson.library.ProcessSettings;
import dev.caisson.oci.ImageConfig;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Environment, command and rights of a container's first process. */
class EnvironmentTest {
  private static ImageConfig.Run image(
      List<String> env, List<String> entrypoint, List<String> cmd) {
    return new ImageConfig.Run(
        "", Map.of(), env, entrypoint, cmd, Map.of(), "", Map.of(), "", Map.of());
  }

  @Tag("case-94")
  @ParameterizedTest
  @CsvSource({
    "'', /root",
    "HOME=, /root",
    "HOME=/x, /x",
    "HOME=/x;HOME=, /root",
    "HOME=;HOME=/y, /y",
    "home=/lower, /root"
  })
  void homeComesFromPasswdWhenItIsUnsetOrEmpty(String env, String home) {
    var entries = env.isEmpty() ? List.<String>of() : List.of(env.split(";"));

    var made =
        ContainerSpec.environment(
            image(entries, List.of(), List.of()),
            ProcessSettings.of("x"),
            new Identity(0, 0, List.of(0L), "/root"),
            "host");

    assertThat(made.stream().filter(e -> e.startsWith("HOME="))).containsExactly("HOME=" + home);
  }

  @Tag("case-97")
  @Test
  void theUsersValuesOverrideTheImagesAndABareNameRemovesOne() {
    var ofImage = List.of("A=1", "B=2", "PATH=/image");

    var made =
        ContainerSpec.environment(
            image(ofImage, List.of(), List.of()),
            ProcessSettings.of("x").withEnvironment(List.of("A=9", "B", "C=a=b")),
            new Identity(0, 0, List.of(0L), "/root"),
            "host");

    assertThat(made).contains("A=9", "C=a=b", "PATH=/image").noneMatch(e -> e.startsWith("B="));
    assertThat(ofImage).containsExactly("A=1", "B=2", "PATH=/image");
  }

  @Test
  void commandAndEntrypointFollowDockersRule() {
    var run = image(List.of(), List.of("entry"), List.of("cmd"));

    assertThat(ContainerSpec.command(run, ProcessSettings.of())).containsExactly("entry", "cmd");
    assertThat(ContainerSpec.command(run, ProcessSettings.of("own")))
        .containsExactly("entry", "own");
    assertThat(ContainerSpec.command(run, ProcessSettings.of().withEntrypoint(List.of("other"))))
        .containsExactly("other");
    assertThatThrownBy(
            () -> ContainerSpec.command(run, ProcessSettings.of().withEntrypoint(List.of())))
        .isInstanceOf(CaissonException.class);
  }

  @Tag("case-115")
  @Test
  void nothingIsInheritableAndOtherUsersStartWithNothing() {
    var bounding = CapabilitySection.bounding(false, List.of(), List.of(), -1);

    var ofRoot = CapabilitySection.of(bounding, true);
    assertThat(ofRoot.effective()).isEqualTo(bounding);
    assertThat(ofRoot.inheritable()).isEmpty();
    assertThat(ofRoot.ambient()).isEmpty();
    var ofOthers = CapabilitySection.of(bounding, false);
    assertThat(ofOthers.bounding()).isEqualTo(bounding);
    assertThat(ofOthers.effective()).isEmpty();
    assertThat(ofOthers.permitted()).isEmpty();
  }

  @Test
  void capabilitiesAreAddedAndDroppedByAnySpelling() {
    assertThat(CapabilitySection.bounding(false, List.of("net_admin"), List.of("ALL"), -1))
        .containsExactly("CAP_NET_ADMIN");
    assertThat(CapabilitySection.bounding(false, List.of("ALL"), List.of("CAP_SYS_ADMIN"), -1))
        .hasSize(40)
        .doesNotContain("CAP_SYS_ADMIN");
    assertThatThrownBy(() -> CapabilitySection.bounding(false, List.of("FLY"), List.of(), -1))
        .hasMessageContaining("--cap-add FLY");
  }

  @Tag("case-121")
  @Test
  void unknownCallsAreAnsweredENOSYSAndForbiddenOnesEPERM() {
    var profile = SeccompSection.usual(Set.of());

    assertThat(profile.defaultErrnoRet()).contains(38L);
    assertThat(profile.syscalls())
        .anySatisfy(rule -> {
          assertThat(rule.names()).contains("mount");
          assertThat(rule.errnoRet()).contains(1L);
        })
        .anySatisfy(rule -> assertThat(rule.names()).containsExactly("clone3"));
    assertThat(SeccompSection.usual(Set.of("CAP_SYS_ADMIN")).syscalls())
        .filteredOn(rule -> rule.action().equals("SCMP_ACT_ERRNO"))
        .noneMatch(rule -> rule.names().contains("clone3"));
  }

  @Tag("case-121")
  @Test
  void newNamespacesAreAnsweredEPERMWhicheverFlagAsksForThem() {
    var rules = SeccompSection.usual(Set.of()).syscalls();

    var refused =
        rules.stream()
            .filter(rule -> rule.names().equals(List.of("clone")))
            .filter(rule -> rule.errnoRet().equals(Optional.of(1L)))
            .mapToLong(rule -> rule.args().getFirst().value().orElseThrow())
            .reduce(0, (flags, flag) -> flags | flag);
    assertThat(refused).isEqualTo(0x7E020000L);
  }

  @Test
  void aResourceLimitBelowUnlimitedIsRefusedByName() {
    var rights = new Rights(-1, Map.of("nofile", 1024L), 0);

    assertThatThrownBy(() -> rights.checkedRlimit(new ProcessSettings.Rlimit("nofile", -5, 10)))
        .isInstanceOf(CaissonException.class)
        .hasMessageContaining("nofile=-5:10");
    assertThat(rights.checkedRlimit(new ProcessSettings.Rlimit("nofile", 10, 20)))
        .isEqualTo(Rlimit.of("RLIMIT_NOFILE", 10, 20));
  }
}
