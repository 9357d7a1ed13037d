package dev.caisson.engine;

import static dev.caisson.engine.TestEngine.INIT;
import static dev.caisson.engine.TestEngine.createExec;
import static dev.caisson.engine.TestEngine.exec;
import static dev.caisson.engine.TestEngine.execPlan;
import static dev.caisson.engine.TestEngine.exit;
import static dev.caisson.engine.TestEngine.plan;
import static dev.caisson.engine.TestEngine.process;
import static dev.caisson.engine.TestEngine.refused;
import static dev.caisson.engine.TestEngine.runExec;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.engine.FakeSandbox.Call;
import dev.caisson.engine.FakeSandbox.Step;
import dev.caisson.linux.ProcessIdentity;
import dev.caisson.linux.Signal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the next daemon makes of the tasks of one that died. */
class TaskTakeOverTest {
  private static final TaskId WEB = new TaskId("web");
  private static final Optional<ExecId> SH = Optional.of(exec("sh"));

  @TempDir Path directory;
  private TestEngine engine;

  @BeforeEach
  void open() throws IOException {
    engine = new TestEngine(directory.resolve("tasks"));
  }

  @AfterEach
  void close() {
    engine.close();
  }

  private Task takenOver() throws IOException {
    assertThat(engine.restart()).isEmpty();
    return engine.pods.get(WEB);
  }

  /** As a daemon leaves it that dies in the middle of something. */
  private void record(TaskRecord record) throws IOException {
    var folder = Files.createDirectories(engine.directory.resolve(record.plan().id().value()));
    record.write(folder);
  }

  private ProcessIdentity prepared() throws IOException {
    var task = engine.create("web", "web");
    return new ProcessIdentity(task.pid(INIT), 7);
  }

  @Test
  void aCreatedTaskCanBeStarted() throws Exception {
    engine.create("web", "web");

    var task = takenOver();

    assertThat(task.state()).isEqualTo(new ExecState.Created());
    task.start();
    assertThat(engine.end(task, 5).status().code()).isEqualTo(5);
    assertThat(engine.events("web")).containsExactly("created", "started", "exited 5");
  }

  @Test
  void whatRunsRunsOnAndItsExitIsTold() throws Exception {
    var before = engine.running("web", "web");
    runExec(before, "sh");
    createExec(before, "later");
    before.pause();

    var task = takenOver();

    assertThat(task.state()).isEqualTo(before.state());
    assertThat(task.execs()).isEqualTo(before.execs());
    assertThat(task.isPaused()).isTrue();
    task.resume();
    task.startExec(exec("later"));
    engine.sandbox.end(process(task, SH), 4);
    assertThat(exit(task, SH).status().code()).isEqualTo(4);
    engine.end(task, 0);
    assertThat(engine.events("web"))
        .containsExactly(
            "created",
            "started",
            "added sh",
            "started sh",
            "added later",
            "paused",
            "resumed",
            "started later",
            "exited 4 of sh",
            "exited 137 of later",
            "exited 0");
  }

  @Test
  void anExitMeanwhileIsToldOnce() throws Exception {
    var before = engine.running("web", "web");
    var init = process(before, INIT);
    engine.die();
    engine.sandbox.end(init, 77);

    engine.pods.takeOver(HeldDescriptors.none());

    var task = engine.pods.get(WEB);
    assertThat(exit(task, INIT).status().code()).isEqualTo(77);
    assertThat(engine.events("web")).containsExactly("created", "started", "exited 77");
  }

  @Test
  void anExitedTaskKeepsItsStatusAndItsEndIsNotToldAgain() throws Exception {
    engine.end(engine.running("web", "web"), 31);

    var task = takenOver();

    assertThat(task.ended(INIT)).isDone();
    assertThat(exit(task, INIT).status().code()).isEqualTo(31);
    assertThat(engine.pods.delete(WEB).status().code()).isEqualTo(31);
    assertThat(engine.events("web"))
        .containsExactly("created", "started", "exited 31", "deleted 31");
    assertThat(engine.restart()).isEmpty();
    assertThat(engine.pods.all()).isEmpty();
  }

  @Test
  void podsAreWhatTheyWere() throws Exception {
    engine.running("pod", "pod");
    engine.create("pod", "web");

    engine.restart();

    assertThat(engine.pods.list(new PodId("pod")))
        .extracting(task -> task.id().value())
        .containsExactly("pod", "web");
    refused(Reason.ALREADY_EXISTS, () -> engine.create("pod", "web"));
    engine.create("pod", "other");
  }

  @Test
  void aHalfMadeTaskIsRemoved() throws IOException {
    record(
        new TaskRecord(
            plan("web", "web"),
            Optional.empty(),
            new ExecState.Created(),
            false,
            false,
            List.of()));
    Files.createDirectories(engine.directory.resolve("empty"));

    assertThat(engine.restart()).isEmpty();

    assertThat(engine.pods.find(WEB)).isEmpty();
    assertThat(engine.files("web")).isEmpty();
    assertThat(engine.files("empty")).isEmpty();
    assertThat(engine.sandbox.calls(Step.DELETE)).extracting(Call::task).containsExactly(WEB);
    engine.create("web", "web");
  }

  @Test
  void aStartThatWasCutShortIsWhatTheRuntimeSays() throws Exception {
    var init = prepared();
    var cutShort =
        new TaskRecord(
            plan("web", "web"), Optional.of(init), new ExecState.Created(), true, false, List.of());
    record(cutShort);
    assertThat(takenOver().state()).isEqualTo(new ExecState.Created());

    record(cutShort);
    engine.sandbox.start(cutShort.plan());
    var task = takenOver();

    assertThat(process(task, INIT)).isEqualTo(init);
    engine.end(task, 6);
    assertThat(engine.events("web")).containsExactly("created", "started", "exited 6");
  }

  @Test
  void theStartOfAnExecThatWasCutShortIsWhatTheRuntimeSays() throws Exception {
    var before = engine.running("web", "web");
    var running = before.state();
    var init = process(before, INIT);
    var sh = engine.sandbox.exec(before.plan(), execPlan("sh"), before.streams(INIT));
    record(
        new TaskRecord(
            before.plan(),
            Optional.of(init),
            running,
            false,
            false,
            List.of(
                new TaskRecord.ExecRecord(execPlan("sh"), new ExecState.Created(), true),
                new TaskRecord.ExecRecord(execPlan("lost"), new ExecState.Created(), true))));

    var task = takenOver();

    assertThat(process(task, SH)).isEqualTo(sh);
    assertThat(exit(task, Optional.of(exec("lost"))).status()).isEqualTo(ExitStatus.UNKNOWN);
    task.kill(SH, Signal.TERM);
    assertThat(exit(task, SH).status().code()).isEqualTo(143);
    assertThat(engine.events("web"))
        .containsExactly("created", "started", "started sh", "exited 143 of sh");
  }

  @Test
  void aRecordThatCannotBeReadIsToldAndLeftAlone() throws IOException {
    engine.create("other", "other");
    var broken = Files.createDirectories(engine.directory.resolve("web")).resolve("task.json");
    Files.writeString(broken, "{");

    assertThat(engine.restart()).singleElement().asString().contains(broken.getParent().toString());

    assertThat(broken).exists();
    assertThat(engine.pods.all()).extracting(Task::id).containsExactly(new TaskId("other"));
  }

  @Test
  void aTaskIsKnownBeforeAnythingOfItIsTold() throws Exception {
    var before = engine.running("web", "web");
    engine.die();
    engine.sandbox.end(process(before, INIT), 0);
    var known = new CopyOnWriteArrayList<Boolean>();
    engine.pods.events().subscribe(e -> known.add(engine.pods.find(e.task()).isPresent()));

    engine.pods.takeOver(HeldDescriptors.none());

    exit(engine.pods.get(WEB), INIT);
    assertThat(known).containsExactly(true);
  }
}
