package dev.caisson.engine;

import static dev.caisson.engine.TestEngine.refused;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlacementTest {
  private static final String TYPE = "io.kubernetes.cri.container-type";
  private static final String ID = "io.kubernetes.cri.sandbox-id";
  private static final String CRIO_TYPE = "io.kubernetes.cri-o.ContainerType";
  private static final String CRIO_ID = "io.kubernetes.cri-o.SandboxID";
  private static final PodId POD = new PodId("pod");

  @Tag("pod-1")
  @Test
  void withoutAnnotationsATaskStandsAlone() {
    assertThat(Placement.of(Map.of())).isEqualTo(new Placement.Standalone());
    assertThat(Placement.of(Map.of("other", "word"))).isEqualTo(new Placement.Standalone());
    assertThat(Placement.of(Map.of(ID, ""))).isEqualTo(new Placement.Standalone());
  }

  @Tag("pod-2")
  @ParameterizedTest
  @ValueSource(strings = {"container", "sandbox"})
  void aTypeNeedsAnId(String type) {
    refused(Reason.INVALID, () -> Placement.of(Map.of(TYPE, type))).hasMessageContaining(type);
    refused(Reason.INVALID, () -> Placement.of(Map.of(TYPE, type, ID, "")));
  }

  @Tag("pod-3")
  @Test
  void anIdNeedsAType() {
    refused(Reason.INVALID, () -> Placement.of(Map.of(ID, "pod"))).hasMessageContaining("'pod'");
  }

  @Tag("pod-4")
  @Test
  void typeAndIdSayWhereATaskBelongs() {
    assertThat(Placement.of(Map.of(TYPE, "sandbox", ID, "pod")))
        .isEqualTo(new Placement.SandboxOf(POD));
    assertThat(Placement.of(Map.of(TYPE, "container", ID, "pod")))
        .isEqualTo(new Placement.WorkloadOf(POD));
  }

  @Tag("pod-5")
  @ParameterizedTest
  @ValueSource(strings = {"Sandbox", "", "podsandbox", "CONTAINER"})
  void anyOtherTypeIsRefused(String type) {
    refused(Reason.INVALID, () -> Placement.of(Map.of(TYPE, type, ID, "pod")))
        .hasMessageContaining("'" + type + "'");
  }

  @Test
  void anIdThatNoPodCanHaveIsRefused() {
    refused(Reason.INVALID, () -> Placement.of(Map.of(TYPE, "sandbox", ID, "../pod")))
        .hasMessageContaining("'../pod'");
  }

  @Tag("pod-6")
  @Test
  void bothSpellingsMeanTheSameAndMustAgree() {
    assertThat(Placement.of(Map.of(CRIO_TYPE, "container", CRIO_ID, "pod")))
        .isEqualTo(new Placement.WorkloadOf(POD));
    assertThat(
            Placement.of(Map.of(TYPE, "sandbox", CRIO_TYPE, "sandbox", ID, "pod", CRIO_ID, "pod")))
        .isEqualTo(new Placement.SandboxOf(POD));
    assertThat(Placement.of(Map.of(TYPE, "sandbox", CRIO_ID, "pod")))
        .isEqualTo(new Placement.SandboxOf(POD));
    refused(
            Reason.INVALID,
            () -> Placement.of(Map.of(TYPE, "sandbox", ID, "pod", CRIO_ID, "other")))
        .hasMessageContaining("'pod'")
        .hasMessageContaining("'other'");
    refused(
        Reason.INVALID,
        () -> Placement.of(Map.of(TYPE, "sandbox", CRIO_TYPE, "container", ID, "pod")));
  }

  @Tag("pod-16")
  @Tag("pod-34")
  @Test
  void aTaskThatSaysItBelongsElsewhereIsRefused() {
    var pod = new TaskId("pod");
    var web = new TaskId("web");

    assertThat(new Placement.Standalone().podOf(pod)).isEqualTo(POD);
    assertThat(new Placement.SandboxOf(POD).podOf(pod)).isEqualTo(POD);
    assertThat(new Placement.WorkloadOf(POD).podOf(web)).isEqualTo(POD);
    refused(Reason.WRONG_STATE, () -> new Placement.SandboxOf(POD).podOf(web))
        .hasMessageContaining("'web'");
    refused(Reason.WRONG_STATE, () -> new Placement.WorkloadOf(POD).podOf(pod));
  }
}
