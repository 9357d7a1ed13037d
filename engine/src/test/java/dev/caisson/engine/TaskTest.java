package dev.caisson.engine;

import static dev.caisson.engine.TestEngine.INIT;
import static dev.caisson.engine.TestEngine.createExec;
import static dev.caisson.engine.TestEngine.exec;
import static dev.caisson.engine.TestEngine.execPlan;
import static dev.caisson.engine.TestEngine.exit;
import static dev.caisson.engine.TestEngine.process;
import static dev.caisson.engine.TestEngine.refused;
import static dev.caisson.engine.TestEngine.runExec;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.engine.FakeSandbox.Call;
import dev.caisson.engine.FakeSandbox.Step;
import dev.caisson.engine.spec.Process;
import dev.caisson.engine.spec.Resources;
import dev.caisson.engine.streams.StreamPlan;
import dev.caisson.linux.Signal;
import dev.caisson.linux.Terminal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The life of a task and its execs, one thing after the other. */
class TaskTest {
  private static final Signal USR1 = new Signal(10);
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

  private Task created() {
    return engine.create("web", "web");
  }

  private Task running() {
    return engine.running("web", "web");
  }

  // ---- states ----

  @Tag("pod-55")
  @Test
  void aStateHoldsWhatExistsOnlyInIt() throws Exception {
    var task = running();
    createExec(task, "sh");

    assertThat(task.state(SH)).isEqualTo(new ExecState.Created());
    assertThat(task.pid(SH)).isZero();
    task.startExec(exec("sh"));
    assertThat(task.state(SH)).isInstanceOf(ExecState.Running.class);
    assertThat(task.pid(SH)).isEqualTo(process(task, SH).pid());
    engine.sandbox.end(process(task, SH), 3);
    exit(task, SH);
    assertThat(task.state(SH))
        .isInstanceOfSatisfying(
            ExecState.Exited.class, exited -> assertThat(exited.status().code()).isEqualTo(3));
  }

  @Tag("pod-56")
  @Test
  void whatWasStartedIsNotStartedAgain() throws Exception {
    var task = running();
    runExec(task, "sh");
    refused(Reason.WRONG_STATE, task::start).hasMessageContaining("running already");
    refused(Reason.WRONG_STATE, () -> task.startExec(exec("sh")));

    engine.sandbox.end(process(task, SH), 5);
    exit(task, SH);
    refused(Reason.WRONG_STATE, () -> task.startExec(exec("sh")))
        .hasMessageContaining("exited with 5");
    engine.end(task, 7);
    refused(Reason.WRONG_STATE, task::start).hasMessageContaining("exited with 7");

    assertThat(engine.sandbox.calls(Step.START)).hasSize(1);
    assertThat(engine.sandbox.calls(Step.EXEC)).hasSize(1);
  }

  @Test
  void aWholeLifeIsToldInOrder() throws Exception {
    var task = running();
    runExec(task, "sh");
    engine.sandbox.end(process(task, SH), 2);
    exit(task, SH);
    task.deleteExec(exec("sh"));
    engine.end(task, 0);
    engine.pods.delete(WEB);

    assertThat(engine.events("web"))
        .containsExactly(
            "created",
            "started",
            "added sh",
            "started sh",
            "exited 2 of sh",
            "deleted 2 of sh",
            "exited 0",
            "deleted 0");
  }

  // ---- kill ----

  @Tag("pod-57")
  @ParameterizedTest
  @ValueSource(ints = {1, 9, 15, 34, 64})
  void aCreatedExecEndsWithOneWhateverTheSignal(int signal) throws Exception {
    var task = running();
    createExec(task, "sh");

    task.kill(SH, new Signal(signal));

    assertThat(exit(task, SH).status()).isEqualTo(ExitStatus.NEVER_RAN);
    refused(Reason.NOT_FOUND, () -> task.kill(SH, new Signal(signal)));
    assertThat(engine.sandbox.calls(Step.SIGNAL)).isEmpty();
  }

  @Tag("pod-58")
  @Test
  void theEndOfAnExecThatNeverRanIsNotTold() throws Exception {
    var task = running();
    createExec(task, "sh");
    task.kill(SH, Signal.KILL);
    task.deleteExec(exec("sh"));
    engine.end(task, 0);

    assertThat(engine.events("web"))
        .containsExactly("created", "started", "added sh", "deleted 1 of sh", "exited 0");
  }

  @Tag("pod-59")
  @Test
  void aCreatedInitThatIsKilledExitsOnceAndNeverStarts() throws Exception {
    var task = created();

    task.kill(INIT, new Signal(40));

    assertThat(exit(task, INIT).status()).isEqualTo(ExitStatus.NEVER_RAN);
    engine.pods.delete(WEB);
    assertThat(engine.events("web")).containsExactly("created", "exited 1", "deleted 1");
    assertThat(engine.sandbox.processes(task.plan())).isEmpty();
  }

  @Tag("pod-61")
  @Test
  void aProcessThatDiedUnrecordedCountsAsReached() throws Exception {
    var task = running();
    try (var gate = engine.sandbox.hold(Step.OUT_OF_MEMORY_KILLS)) {
      engine.sandbox.end(process(task, INIT), 0);
      gate.awaitReached();

      task.kill(INIT, Signal.TERM);
      assertThat(task.state()).isInstanceOf(ExecState.Running.class);
    }

    assertThat(engine.sandbox.calls(Step.SIGNAL)).hasSize(1);
    assertThat(exit(task, INIT).status().code()).isZero();
  }

  @Tag("pod-62")
  @Test
  void aSignalledProcessExitsWith128AndTheSignal() throws Exception {
    var task = running();
    runExec(task, "sh");

    task.kill(SH, Signal.KILL);
    task.kill(INIT, Signal.TERM);

    assertThat(exit(task, SH).status().code()).isEqualTo(137);
    assertThat(exit(task, INIT).status().code()).isEqualTo(143);
  }

  @Test
  void aPausedInitIsKilledThroughItsGroup() throws Exception {
    var task = running();
    task.pause();

    task.kill(INIT, Signal.KILL);

    assertThat(exit(task, INIT).status().code()).isEqualTo(137);
    assertThat(engine.sandbox.calls(Step.SIGNAL)).isEmpty();
    assertThat(task.isPaused()).isFalse();
  }

  @Tag("pod-72")
  @Test
  void aKilledInitThatLivesOnTakesExecsAndTheyStayCreated() {
    engine.sandbox.ignore(USR1);
    var task = running();
    runExec(task, "first");

    task.kill(INIT, USR1);
    createExec(task, "second");

    assertThat(task.state(Optional.of(exec("second")))).isEqualTo(new ExecState.Created());
    assertThat(task.state(Optional.of(exec("first")))).isInstanceOf(ExecState.Running.class);
  }

  // ---- ends ----

  @Tag("pod-63")
  @Test
  void waitersGetTheStatusWheneverTheyCome() throws Exception {
    var task = created();
    var early = task.ended(INIT);
    task.start();
    var during = task.ended(INIT);
    assertThat(early).isNotDone();

    engine.end(task, 42);

    assertThat(early.get().status().code()).isEqualTo(42);
    assertThat(during.get()).isEqualTo(early.get());
    assertThat(task.ended(INIT)).isDone();
    assertThat(task.ended(INIT).get()).isEqualTo(early.get());
  }

  @Test
  void aWaiterCannotEndTheWaitOfOthers() throws Exception {
    var task = running();

    task.ended(INIT).cancel(true);

    assertThat(engine.end(task, 8).status().code()).isEqualTo(8);
  }

  @Tag("pod-66")
  @Test
  void aFailingStartIsAnExitWithOne() throws Exception {
    var task = created();
    var failure = engine.sandbox.failOnce(Step.START);

    refused(Reason.INTERNAL, task::start).isSameAs(failure);

    assertThat(exit(task, INIT).status()).isEqualTo(ExitStatus.NEVER_RAN);
    assertThat(engine.sandbox.processes(task.plan())).isEmpty();
    refused(Reason.WRONG_STATE, task::start);
    engine.pods.delete(WEB);
    assertThat(engine.events("web")).containsExactly("created", "exited 1", "deleted 1");
  }

  @Test
  void aFailingStartOfAnExecIsAnExitWithOneThatIsNotTold() throws Exception {
    var task = running();
    createExec(task, "sh");
    engine.sandbox.failOnce(Step.EXEC);

    refused(Reason.INTERNAL, () -> task.startExec(exec("sh")));

    assertThat(exit(task, SH).status()).isEqualTo(ExitStatus.NEVER_RAN);
    assertThat(task.state()).isInstanceOf(ExecState.Running.class);
    assertThat(task.deleteExec(exec("sh")).status()).isEqualTo(ExitStatus.NEVER_RAN);
    assertThat(engine.events("web"))
        .containsExactly("created", "started", "added sh", "deleted 1 of sh");
  }

  @Tag("pod-70")
  @Test
  void withInitAllExecsEndBeforeItsOwnEndIsTold() throws Exception {
    var task = running();
    runExec(task, "sh");
    createExec(task, "never");

    engine.end(task, 0);

    assertThat(task.execs().values()).allMatch(state -> state instanceof ExecState.Exited);
    assertThat(exit(task, SH).status().code()).isEqualTo(137);
    assertThat(engine.events("web"))
        .containsExactly(
            "created",
            "started",
            "added sh",
            "started sh",
            "added never",
            "exited 137 of sh",
            "exited 0");
  }

  @Test
  void anInitWhoseTaskCannotBeSignalledIsStillTold() throws Exception {
    var task = running();
    runExec(task, "sh");
    engine.sandbox.end(process(task, SH), 0);
    exit(task, SH);
    engine.sandbox.failOnce(Step.SIGNAL_ALL);
    engine.sandbox.failOnce(Step.OUT_OF_MEMORY_KILLS);

    assertThat(engine.end(task, 11).status().code()).isEqualTo(11);

    assertThat(engine.events("web")).endsWith("exited 11");
  }

  @Test
  void aKilledCreatedInitThatCannotBeSignalledIsStillTold() throws Exception {
    var task = created();
    engine.sandbox.failOnce(Step.SIGNAL_ALL);

    task.kill(INIT, Signal.KILL);

    assertThat(exit(task, INIT).status()).isEqualTo(ExitStatus.NEVER_RAN);
    engine.pods.delete(WEB);
    assertThat(engine.sandbox.processes(task.plan())).isEmpty();
    assertThat(engine.events("web")).containsExactly("created", "exited 1", "deleted 1");
  }

  @Test
  void killsForLackOfMemoryAreToldBeforeTheExit() throws Exception {
    var task = running();
    engine.sandbox.killedForLackOfMemory();

    engine.end(task, 137);

    assertThat(engine.events("web"))
        .containsExactly("created", "started", "out of memory", "exited 137");
  }

  // ---- execs ----

  @Tag("pod-69")
  @Test
  void aKnownExecIdIsRefusedBeforeTheStateOfInit() throws Exception {
    var task = created();
    refused(Reason.ALREADY_EXISTS, () -> task.createExec(execPlan("web")));
    refused(Reason.WRONG_STATE, () -> task.createExec(execPlan("sh")));
    task.start();
    createExec(task, "sh");
    refused(Reason.ALREADY_EXISTS, () -> task.createExec(execPlan("sh")));

    engine.end(task, 0);

    refused(Reason.ALREADY_EXISTS, () -> task.createExec(execPlan("sh")));
    refused(Reason.WRONG_STATE, () -> task.createExec(execPlan("fresh")));
    assertThat(task.execs()).containsOnlyKeys(exec("sh"));
  }

  @Test
  void anUnknownExecIsNotFound() {
    var task = running();

    refused(Reason.NOT_FOUND, () -> task.state(SH)).hasMessageContaining("'sh'");
    refused(Reason.NOT_FOUND, () -> task.startExec(exec("sh")));
    refused(Reason.NOT_FOUND, () -> task.kill(SH, Signal.TERM));
    refused(Reason.NOT_FOUND, () -> task.deleteExec(exec("sh")));
    refused(Reason.NOT_FOUND, () -> task.ended(SH));
  }

  @Tag("pod-76")
  @Test
  void anExecIsDeletedUnlessItRuns() throws Exception {
    var task = running();
    createExec(task, "sh");
    assertThat(task.deleteExec(exec("sh")).status()).isEqualTo(ExitStatus.DELETED);

    runExec(task, "sh");
    refused(Reason.WRONG_STATE, () -> task.deleteExec(exec("sh")));
    engine.sandbox.end(process(task, SH), 21);
    exit(task, SH);
    assertThat(task.deleteExec(exec("sh")).status().code()).isEqualTo(21);

    refused(Reason.NOT_FOUND, () -> task.deleteExec(exec("sh")));
    assertThat(task.execs()).isEmpty();
    assertThat(engine.events("web"))
        .containsExactly(
            "created",
            "started",
            "added sh",
            "deleted 0 of sh",
            "added sh",
            "started sh",
            "exited 21 of sh",
            "deleted 21 of sh");
  }

  @Tag("pod-83")
  @Test
  void processesNobodyAskedForAreListedAndBelongToNoExec() {
    var task = running();
    var sh = runExec(task, "sh");
    engine.sandbox.exec(task.plan(), execPlan("unasked"), task.streams(INIT));

    var all = task.processes();

    assertThat(all).hasSize(3).contains(task.pid(INIT), sh.pid());
    assertThat(all.stream().map(task::execOf))
        .containsExactlyInAnyOrder(Optional.empty(), SH, Optional.empty());
  }

  // ---- delete ----

  @Tag("pod-73")
  @Test
  void aRefusedDeleteHarmsNoExec() {
    var task = running();
    var sh = runExec(task, "sh");

    refused(Reason.WRONG_STATE, () -> engine.pods.delete(WEB));

    assertThat(engine.sandbox.isAlive(sh)).isTrue();
    assertThat(task.state(SH)).isInstanceOf(ExecState.Running.class);
    assertThat(engine.sandbox.calls(Step.SIGNAL_ALL)).isEmpty();
  }

  @Tag("pod-74")
  @Test
  void aCreatedTaskIsDeletedWithZero() throws IOException {
    created();

    assertThat(engine.pods.delete(WEB).status()).isEqualTo(ExitStatus.DELETED);

    assertThat(engine.events("web")).containsExactly("created", "exited 0", "deleted 0");
    assertThat(engine.pods.find(WEB)).isEmpty();
    assertThat(engine.files("web")).isEmpty();
  }

  @Tag("pod-77")
  @Test
  void aTasksDeletionNamesNoExecAndHasTheStatusOfInit() throws Exception {
    var deleted = new CompletableFuture<PodEvent.Deleted>();
    engine
        .pods
        .events()
        .subscribe(event -> {
          if (event instanceof PodEvent.Deleted one) {
            deleted.complete(one);
          }
        });
    var task = running();
    var init = process(task, INIT);
    engine.end(task, 99);
    engine.pods.delete(WEB);

    assertThat(deleted.get().exec()).isEmpty();
    assertThat(deleted.get().status().code()).isEqualTo(99);
    assertThat(deleted.get().pid()).isEqualTo(init.pid());
  }

  // ---- the whole task ----

  @Tag("pod-84")
  @Test
  void anExitedTaskHasNeitherStatisticsNorProcesses() throws Exception {
    var task = running();
    assertThat(task.usage().pids()).isEqualTo(1);
    assertThat(task.processes()).hasSize(1);

    engine.end(task, 0);

    refused(Reason.NOT_FOUND, task::usage);
    refused(Reason.NOT_FOUND, task::processes);
    refused(Reason.NOT_FOUND, () -> task.update(Resources.NONE));
  }

  // ---- streams ----

  @Tag("pod-65")
  @Test
  void inputIsClosedInAnyStateAndMoreThanOnce() throws Exception {
    var withInput = new StreamPlan(false, true, Optional.empty(), Optional.empty());
    var task = running();
    task.createExec(new ExecPlan(exec("sh"), Process.of("/", List.of("cat")), withInput));

    closeInputTwice(task);
    task.startExec(exec("sh"));
    closeInputTwice(task);
    engine.sandbox.end(process(task, SH), 0);
    exit(task, SH);
    closeInputTwice(task);
  }

  private static void closeInputTwice(Task task) {
    task.streams(SH).closeInput();
    task.streams(SH).closeInput();
  }

  @Tag("pod-64")
  @Test
  void onlyATerminalHasASizeInWhateverState() {
    var size = new Terminal.Size(80, 25);
    var terminal = new StreamPlan(true, true, Optional.empty(), Optional.empty());
    var task = running();
    runExec(task, "sh");
    task.createExec(new ExecPlan(exec("tty"), Process.of("/", List.of("sh")), terminal));
    var tty = Optional.of(exec("tty"));

    assertThat(task.streams(SH).resize(size)).isFalse();
    assertThat(task.streams(tty).resize(size)).isTrue();
    task.kill(tty, Signal.TERM);
    assertThat(task.streams(tty).resize(size)).isTrue();
  }

  // ---- pause and limits ----

  @Test
  void aPausedTaskTakesNoExecs() {
    var task = running();
    createExec(task, "sh");
    refused(Reason.WRONG_STATE, task::resume);

    task.pause();

    refused(Reason.WRONG_STATE, task::pause).hasMessageContaining("paused");
    refused(Reason.WRONG_STATE, () -> task.startExec(exec("sh")));
    refused(Reason.WRONG_STATE, () -> task.createExec(execPlan("more")));
    task.resume();
    task.startExec(exec("sh"));
    assertThat(engine.events("web"))
        .containsExactly("created", "started", "added sh", "paused", "resumed", "started sh");
  }

  @Test
  void aFailedPauseLeavesItRunning() {
    var task = running();
    engine.sandbox.failOnce(Step.PAUSE);

    refused(Reason.INTERNAL, task::pause);

    assertThat(task.isPaused()).isFalse();
    assertThat(engine.events("web")).doesNotContain("paused");
    task.pause();
    engine.sandbox.failOnce(Step.RESUME);
    refused(Reason.INTERNAL, task::resume);
    assertThat(task.isPaused()).isTrue();
  }

  @Test
  void limitsChangeInCreatedAndRunningTasks() {
    var task = created();
    task.update(pids(1));
    task.start();
    task.update(pids(2));

    assertThat(engine.sandbox.calls(Step.UPDATE))
        .extracting(Call::about)
        .containsExactly("pids 1", "pids 2");
  }

  private static Resources pids(long limit) {
    return Resources.NONE.withPids(new Resources.Pids(Optional.of(limit), Map.of()));
  }
}
