package dev.caisson.engine;

import static dev.caisson.engine.TestEngine.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.engine.ExecState.Change;
import dev.caisson.linux.ProcessIdentity;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExecStateTest {
  private static final Instant NOON = Instant.parse("2026-12-01T12:00:00Z");
  private static final Instant LATER = NOON.plusSeconds(1);
  private static final ProcessIdentity PROCESS = new ProcessIdentity(7, 70);
  private static final ExecState CREATED = new ExecState.Created();
  private static final ExecState RUNNING = new ExecState.Running(PROCESS, NOON);
  private static final ExecState EXITED = new ExecState.Exited(new ExitStatus(3), NOON);
  private static final Change STARTED = new Change.Started(PROCESS, NOON);

  @Test
  void everyChangeOfEveryState() {
    var died = new Change.Died(new ExitStatus(4), LATER);
    var exited = new ExecState.Exited(new ExitStatus(4), LATER);

    assertThat(CREATED.after(STARTED, "start")).isEqualTo(RUNNING);
    assertThat(CREATED.after(died, "end")).isEqualTo(exited);
    assertThat(RUNNING.after(died, "end")).isEqualTo(exited);
    assertThat(EXITED.after(died, "end")).isEqualTo(EXITED);
    refused(Reason.WRONG_STATE, () -> RUNNING.after(STARTED, "start"));
    refused(Reason.WRONG_STATE, () -> EXITED.after(STARTED, "start"))
        .hasMessageContaining("exited with 3");
  }

  @Tag("pod-62")
  @ParameterizedTest
  @CsvSource({
    "0x0000, 0",
    "0x0100, 1",
    "0xff00, 255",
    "0x0009, 137",
    "0x000f, 143",
    "0x0089, 137",
    "0x0040, 192",
    "0x007e, 254"
  })
  void aWaitStatusIsTheCodeOr128AndTheSignal(String status, int code) {
    assertThat(ExitStatus.ofWaitStatus(Integer.decode(status))).isEqualTo(new ExitStatus(code));
  }

  @Test
  void anExitStatusIsAByte() {
    assertThatThrownBy(() -> new ExitStatus(-1)).hasMessageContaining("-1");
    assertThatThrownBy(() -> new ExitStatus(256)).hasMessageContaining("256");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "web-1", "A.b_c-9", "0"})
  void idsThatAre(String id) {
    assertThat(new TaskId(id)).hasToString(id);
    assertThat(new PodId(id)).hasToString(id);
    assertThat(new ExecId(id)).hasToString(id);
  }

  @Tag("pod-69")
  @ParameterizedTest
  @ValueSource(strings = {"", "-a", "a-", "a..b", "a/b", "..", "a b", "ä"})
  void idsThatAreNot(String id) {
    assertThatThrownBy(() -> new TaskId(id))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("task id '" + id + "'");
    assertThatThrownBy(() -> new PodId(id)).hasMessageStartingWith("pod id");
    assertThatThrownBy(() -> new ExecId(id)).hasMessageStartingWith("exec id");
  }

  @Test
  void anIdHasAtMost76Letters() {
    assertThat(new TaskId("a".repeat(76)).value()).hasSize(76);
    assertThatThrownBy(() -> new TaskId("a".repeat(77))).hasMessageContaining("1 to 76");
  }
}
