package dev.caisson.daemon.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.json.Json;
import dev.caisson.library.CaissonException;
import dev.caisson.library.SecuritySettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Seccomp profiles from files. */
class SeccompFileTest {
  private static final String CONDITIONAL =
      """
      {"defaultAction": "SCMP_ACT_ERRNO", "defaultErrnoRet": 1,
       "archMap": [
         {"architecture": "SCMP_ARCH_X86_64", "subArchitectures": ["SCMP_ARCH_X86"]},
         {"architecture": "SCMP_ARCH_AARCH64", "subArchitectures": ["SCMP_ARCH_ARM"]}],
       "syscalls": [
         {"names": ["read", "write"], "action": "SCMP_ACT_ALLOW", "comment": "always"},
         {"names": ["mount"], "action": "SCMP_ACT_ALLOW", "includes": {"caps": ["CAP_SYS_ADMIN"]}},
         {"names": ["both"], "action": "SCMP_ACT_ALLOW",
          "includes": {"caps": ["CAP_SYS_ADMIN", "CAP_CHOWN"]}},
         {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38,
          "excludes": {"caps": ["CAP_SYS_ADMIN"]}},
         {"names": ["other"], "action": "SCMP_ACT_ALLOW", "includes": {"arches": ["s390x"]}},
         {"names": ["here"], "action": "SCMP_ACT_ALLOW", "includes": {"arches": ["amd64", "arm64"]}},
         {"names": ["older"], "action": "SCMP_ACT_ALLOW", "includes": {"minKernel": "4.8"}},
         {"names": ["newer"], "action": "SCMP_ACT_ALLOW", "includes": {"minKernel": "999.0"}},
         {"names": ["gone"], "action": "SCMP_ACT_ALLOW", "excludes": {"minKernel": "4.8"}},
         {"name": "single", "action": "SCMP_ACT_ALLOW"}]}
      """;

  @TempDir Path scratch;

  private SecuritySettings with(String profile) throws IOException {
    var file = Files.writeString(scratch.resolve("profile.json"), profile);
    return SecuritySettings.USUAL.withSeccomp(file.toString());
  }

  private static List<String> names(SecuritySettings security) {
    return SeccompSection.of(security).orElseThrow().syscalls().stream()
        .flatMap(rule -> rule.names().stream())
        .toList();
  }

  @Tag("case-121")
  @Test
  void aRuleForACapabilityCountsOnlyWithThatCapability() throws IOException {
    assertThat(names(with(CONDITIONAL)))
        .containsExactly("read", "write", "clone3", "here", "older", "single");
    assertThat(names(with(CONDITIONAL).withCapabilitiesAdded(List.of("SYS_ADMIN"))))
        .containsExactly("read", "write", "mount", "both", "here", "older", "single");
    assertThat(
            names(
                with(CONDITIONAL)
                    .withCapabilitiesAdded(List.of("SYS_ADMIN"))
                    .withCapabilitiesDropped(List.of("CHOWN"))))
        .contains("mount")
        .doesNotContain("both");
  }

  @Test
  void architecturesComeFromTheMapAndConditionsAreNotHandedOn() throws IOException {
    var text = Json.text(SeccompSection.of(with(CONDITIONAL)).orElseThrow());

    assertThat(text)
        .contains("\"architectures\":[\"SCMP_ARCH_")
        .doesNotContain("archMap", "includes", "excludes", "comment", "\"name\"");
  }

  @Test
  void aProfileOfTheRuntimeSpecificationIsHandedOnUnchanged() throws IOException {
    var profile =
        "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"architectures\":[\"SCMP_ARCH_X86_64\"],"
            + "\"flags\":[\"SECCOMP_FILTER_FLAG_LOG\"],\"syscalls\":[{\"names\":[\"read\"],"
            + "\"action\":\"SCMP_ACT_ALLOW\",\"args\":[{\"index\":0,\"value\":1,\"op\":"
            + "\"SCMP_CMP_EQ\"}]}]}";

    assertThat(Json.tree(SeccompSection.of(with(profile)).orElseThrow()))
        .isEqualTo(Json.readTree(profile));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "{}",
        "{\"defaultAction\":\"\"}",
        "{\"defaultAction\":\"DENY\"}",
        "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"syscalls\":[{\"names\":[\"a\"],"
            + "\"action\":\"SCMP_ACT_ALLOW\",\"args\":[{\"index\":9,\"value\":1,\"op\":\"SCMP_CMP_EQ\"}]}]}",
        "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"architectures\":[\"SCMP_ARCH_X86\"],"
            + "\"archMap\":[{\"architecture\":\"SCMP_ARCH_X86_64\"}]}",
        "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"syscalls\":[{\"name\":\"a\",\"names\":[\"b\"],"
            + "\"action\":\"SCMP_ACT_ALLOW\"}]}",
        "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"syscalls\":[{\"names\":[\"a\"],"
            + "\"action\":\"SCMP_ACT_ALLOW\",\"includes\":{\"moon\":\"full\"}}]}",
        "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"syscalls\":[{\"names\":[\"a\"],"
            + "\"action\":\"SCMP_ACT_ALLOW\",\"includes\":{\"minKernel\":\"new\"}}]}"
      })
  void aProfileThatCannotBeUnderstoodIsRefusedByName(String profile) throws IOException {
    var security = with(profile);

    assertThatThrownBy(() -> SeccompSection.of(security))
        .isInstanceOf(CaissonException.class)
        .hasMessageContaining("profile.json");
  }

  @Test
  void aMissingProfileIsRefusedByName() {
    var security = SecuritySettings.USUAL.withSeccomp(scratch.resolve("none.json").toString());

    assertThatThrownBy(() -> SeccompSection.of(security))
        .isInstanceOf(CaissonException.class)
        .hasMessageContaining("none.json");
  }

  @Test
  void aPrivilegedContainerHasNoFilterButTheOneAskedForInFull() throws IOException {
    var privileged = SecuritySettings.USUAL.withPrivileged(true);
    var profile = with(CONDITIONAL).withPrivileged(true);

    assertThat(SeccompSection.of(privileged)).isEmpty();
    assertThat(SeccompSection.of(privileged.withSeccomp("unconfined"))).isEmpty();
    assertThat(names(profile)).contains("mount", "both").doesNotContain("clone3");
  }
}
