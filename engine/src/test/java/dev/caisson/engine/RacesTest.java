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

import dev.caisson.engine.FakeSandbox.Step;
import dev.caisson.linux.ProcessIdentity;
import dev.caisson.linux.Signal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls and exits that meet: each order they can take ends the same way for who looks on. */
class RacesTest {
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

  private static <T> T get(Future<T> result) throws Exception {
    return result.get(30, TimeUnit.SECONDS);
  }

  // ---- create ----

  @Tag("pod-33")
  @RepeatedTest(8)
  void ofManyCreatesOfOneIdOneSucceeds() throws Exception {
    var creates = Collections.<Runnable>nCopies(8, () -> engine.create("web", "web"));

    assertThat(engine.together(creates)).containsOnlyOnce(true);

    assertThat(engine.sandbox.calls(Step.CREATE)).hasSize(1);
    assertThat(engine.events("web")).containsExactly("created");
  }

  @Test
  void aTaskThatIsBeingMadeIsNotThereYetButItsIdIsTaken() throws Exception {
    try (var gate = engine.sandbox.hold(Step.CREATE)) {
      var making = engine.other(() -> engine.create("web", "web"));
      gate.awaitReached();

      refused(Reason.ALREADY_EXISTS, () -> engine.create("web", "web"));
      refused(Reason.NOT_FOUND, () -> engine.pods.kill(WEB, INIT, Signal.KILL, false));
      refused(Reason.NOT_FOUND, () -> engine.pods.delete(WEB));
      assertThat(engine.pods.all()).isEmpty();

      gate.letGo();
      assertThat(get(making).state()).isEqualTo(new ExecState.Created());
    }
  }

  @Test
  void anInitThatDiesWhileItIsMadeIsToldAfterItsCreation() throws Exception {
    engine
        .pods
        .events()
        .subscribe(event -> {
          if (event instanceof PodEvent.Created) {
            // Too late to come before, too early for whoever made it.
            engine.sandbox.delete(TestEngine.plan("web", "web"));
          }
        });

    var task = engine.create("web", "web");

    assertThat(exit(task, INIT).status().code()).isEqualTo(137);
    assertThat(engine.events("web")).containsExactly("created", "exited 137");
  }

  @Test
  void aSandboxIsNotDeletedUnderAWorkloadThatIsBeingMade() throws Exception {
    var sandbox = engine.running("pod", "pod");
    try (var gate = engine.sandbox.hold(Step.CREATE)) {
      var making = engine.other(() -> engine.create("pod", "one"));
      gate.awaitReached();
      engine.end(sandbox, 0);

      refused(Reason.WRONG_STATE, () -> engine.pods.delete(new TaskId("pod")));

      gate.letGo();
      get(making);
    }
    engine.pods.delete(new TaskId("one"));
    engine.pods.delete(new TaskId("pod"));
  }

  // ---- start against kill, exit and delete ----

  @Test
  void aKillDuringTheStartReachesTheStartedProcess() throws Exception {
    var task = engine.create("web", "web");
    try (var gate = engine.sandbox.hold(Step.START)) {
      var starting = engine.other(task::start);
      gate.awaitReached();
      var killing = engine.other(() -> task.kill(INIT, Signal.TERM));

      gate.letGo();
      get(starting);
      get(killing);
    }

    assertThat(exit(task, INIT).status().code()).isEqualTo(143);
    assertThat(engine.events("web")).containsExactly("created", "started", "exited 143");
  }

  @RepeatedTest(12)
  void startAndKillAtOnceEndInOneOfTwoWays() throws Exception {
    var task = engine.create("web", "web");

    engine.together(List.of(task::start, () -> task.kill(INIT, Signal.TERM)));

    var code = exit(task, INIT).status().code();
    assertThat(engine.events("web"))
        .isIn(
            List.of("created", "started", "exited 143"),
            List.of("created", "exited " + ExitStatus.NEVER_RAN.code()));
    assertThat(engine.events("web")).endsWith("exited " + code);
  }

  @Tag("pod-67")
  @Test
  void anExitThatComesBeforeTheStartHasReturnedIsToldAfterIt() throws Exception {
    var task = engine.create("web", "web");
    var process = new ProcessIdentity(task.pid(INIT), 7);
    try (var gate = engine.sandbox.hold(Step.START)) {
      var starting = engine.other(task::start);
      gate.awaitReached();
      engine.sandbox.end(process, 0);
      gate.letGo();
      get(starting);
    }

    assertThat(exit(task, INIT).status().code()).isZero();
    assertThat(engine.events("web")).containsExactly("created", "started", "exited 0");
  }

  @Tag("pod-67")
  @Test
  void anExecThatEndsAtOnceIsToldAfterItsStart() throws Exception {
    var task = engine.running("web", "web");
    createExec(task, "sh");
    engine
        .pods
        .events()
        .subscribe(event -> {
          if (event instanceof PodEvent.ExecStarted started) {
            engine.sandbox.end(new ProcessIdentity(started.pid(), 7), 17);
          }
        });

    task.startExec(exec("sh"));

    assertThat(exit(task, SH).status().code()).isEqualTo(17);
    assertThat(engine.events("web"))
        .containsExactly("created", "started", "added sh", "started sh", "exited 17 of sh");
  }

  @Tag("pod-56")
  @RepeatedTest(8)
  void ofManyStartsOneSucceeds() throws Exception {
    var task = engine.create("web", "web");

    assertThat(engine.together(Collections.nCopies(6, task::start))).containsOnlyOnce(true);

    assertThat(engine.events("web")).containsExactly("created", "started");
  }

  @Test
  void aDeleteDuringTheStartIsRefusedOnceItRuns() throws Exception {
    var task = engine.create("web", "web");
    try (var gate = engine.sandbox.hold(Step.START)) {
      var starting = engine.other(task::start);
      gate.awaitReached();
      var deleting = engine.other(() -> refused(Reason.WRONG_STATE, () -> engine.pods.delete(WEB)));
      gate.letGo();
      get(starting);
      get(deleting);
    }

    assertThat(task.state()).isInstanceOf(ExecState.Running.class);
    assertThat(engine.events("web")).containsExactly("created", "started");
  }

  // ---- delete against exit and delete ----

  @Tag("pod-75")
  @Test
  void aDeleteWaitsForTheTeardown() throws Exception {
    var task = engine.running("web", "web");
    try (var gate = engine.sandbox.hold(Step.OUT_OF_MEMORY_KILLS)) {
      engine.sandbox.end(process(task, INIT), 13);
      gate.awaitReached();

      var deleting = engine.other(() -> engine.pods.delete(WEB));
      assertThat(engine.sandbox.calls(Step.DELETE)).isEmpty();
      assertThat(deleting).isNotDone();

      gate.letGo();
      assertThat(get(deleting).status().code()).isEqualTo(13);
    }
    assertThat(engine.events("web"))
        .containsExactly("created", "started", "exited 13", "deleted 13");
  }

  @RepeatedTest(12)
  void anExitAndADeleteAtOnceTellExitBeforeDeletion() throws Exception {
    var task = engine.running("web", "web");
    var init = process(task, INIT);

    var deleted =
        engine.together(List.of(() -> engine.sandbox.end(init, 3), () -> engine.pods.delete(WEB)));
    exit(task, INIT);
    if (!deleted.getLast()) {
      engine.pods.delete(WEB);
    }

    assertThat(engine.events("web")).containsExactly("created", "started", "exited 3", "deleted 3");
  }

  @Tag("pod-53")
  @RepeatedTest(8)
  void ofManyDeletesOneSucceedsAndOneIsTold() throws Exception {
    var task = engine.running("web", "web");
    engine.end(task, 0);

    var deletes = Collections.<Runnable>nCopies(4, () -> engine.pods.delete(WEB));
    assertThat(engine.together(deletes)).containsOnlyOnce(true);

    assertThat(engine.events("web")).containsOnlyOnce("deleted 0");
    assertThat(engine.sandbox.calls(Step.DELETE)).hasSize(1);
  }

  @Test
  void theSecondDeleteWaitsForTheFirstAndTriesAgainWhenThatFailed() throws Exception {
    engine.create("web", "web");
    try (var gate = engine.sandbox.hold(Step.DELETE)) {
      engine.sandbox.failOnce(Step.DELETE);
      var first = engine.other(() -> refused(Reason.INTERNAL, () -> engine.pods.delete(WEB)));
      gate.awaitReached();
      var second = engine.other(() -> engine.pods.delete(WEB));
      gate.letGo();
      get(first);
      assertThat(get(second).status()).isEqualTo(ExitStatus.DELETED);
    }

    assertThat(engine.events("web")).containsExactly("created", "exited 0", "deleted 0");
  }

  @RepeatedTest(8)
  void aCreatedTaskThatIsKilledAndDeletedAtOnceExitsOnce() throws Exception {
    engine.create("web", "web");

    engine.together(
        List.of(
            () -> engine.pods.kill(WEB, INIT, Signal.KILL, false),
            () -> engine.pods.delete(WEB),
            () -> engine.pods.kill(WEB, INIT, Signal.KILL, true)));

    assertThat(engine.pods.find(WEB)).isEmpty();
    assertThat(engine.events("web"))
        .isIn(
            List.of("created", "exited 0", "deleted 0"),
            List.of("created", "exited 1", "deleted 1"));
  }

  @RepeatedTest(8)
  void anIdIsUsedAgainAndAgainAndItsEventsNeverMix() throws Exception {
    var work =
        Collections.<Runnable>nCopies(
            4,
            () -> {
              engine.create("web", "web");
              engine.pods.delete(WEB);
            });

    engine.together(work);

    var events = engine.events("web");
    for (int i = 0; i < events.size(); i += 3) {
      assertThat(events.subList(i, i + 3)).containsExactly("created", "exited 0", "deleted 0");
    }
  }

  // ---- execs ----

  @Tag("pod-33")
  @RepeatedTest(8)
  void ofManyExecsOfOneIdOneIsMade() throws Exception {
    var task = engine.running("web", "web");

    assertThat(engine.together(Collections.nCopies(6, () -> task.createExec(execPlan("sh")))))
        .containsOnlyOnce(true);

    assertThat(engine.events("web")).containsOnlyOnce("added sh");
  }

  @RepeatedTest(8)
  void ofManyDeletesOfAnExecOneSucceedsAndOneIsTold() throws Exception {
    var task = engine.running("web", "web");
    createExec(task, "sh");

    var deletes = Collections.<Runnable>nCopies(4, () -> task.deleteExec(exec("sh")));
    assertThat(engine.together(deletes)).containsOnlyOnce(true);

    assertThat(engine.events("web")).containsOnlyOnce("deleted 0 of sh");
  }

  @Tag("pod-70")
  @Test
  void anExecWhoseStartIsUnderWayWhenInitEndsGoesToo() throws Exception {
    var task = engine.running("web", "web");
    createExec(task, "sh");
    try (var gate = engine.sandbox.hold(Step.EXEC)) {
      var starting = engine.other(() -> task.startExec(exec("sh")));
      gate.awaitReached();
      engine.sandbox.end(process(task, INIT), 0);
      gate.letGo();
      get(starting);
    }

    exit(task, INIT);
    assertThat(exit(task, SH).status().code()).isEqualTo(137);
    assertThat(engine.sandbox.processes(task.plan())).isEmpty();
    assertThat(engine.events("web"))
        .containsExactly(
            "created", "started", "added sh", "started sh", "exited 137 of sh", "exited 0");
  }

  @Tag("pod-70")
  @RepeatedTest(12)
  void noExecOutlivesInitHoweverTheyMeet() throws Exception {
    var task = engine.running("web", "web");
    var init = process(task, INIT);
    var work = new ArrayList<Runnable>();
    work.add(() -> engine.sandbox.end(init, 0));
    for (int i = 0; i < 4; i++) {
      var id = "exec" + i;
      work.add(() -> runExec(task, id));
    }

    engine.together(work);
    exit(task, INIT);

    assertThat(task.execs().values()).allMatch(state -> state instanceof ExecState.Exited);
    assertThat(engine.sandbox.processes(task.plan())).isEmpty();
    assertThat(engine.events("web")).endsWith("exited 0").containsOnlyOnce("exited 0");
    assertThat(engine.events("web").stream().filter(text -> text.startsWith("started exec")))
        .hasSameSizeAs(
            engine.events("web").stream()
                .filter(text -> text.startsWith("exited 137 of"))
                .toList());
  }

  @Test
  void noExecIsTakenOnceInitHasEnded() throws Exception {
    var task = engine.running("web", "web");
    try (var gate = engine.sandbox.hold(Step.OUT_OF_MEMORY_KILLS)) {
      engine.sandbox.end(process(task, INIT), 0);
      gate.awaitReached();

      refused(Reason.WRONG_STATE, () -> task.createExec(execPlan("sh")));
    }

    exit(task, INIT);
    assertThat(task.execs()).isEmpty();
  }

  @Test
  void whoeverWaitsForAnExecIsFreedWhenItsTaskIsDeleted() throws Exception {
    var task = engine.running("web", "web");
    createExec(task, "sh");
    var waiting = task.ended(SH);

    engine.end(task, 0);
    engine.pods.delete(WEB);

    assertThat(get(waiting).status()).isEqualTo(ExitStatus.NEVER_RAN);
  }
}
