package dev.caisson.engine;

import static dev.caisson.engine.TestEngine.INIT;
import static dev.caisson.engine.TestEngine.createExec;
import static dev.caisson.engine.TestEngine.exec;
import static dev.caisson.engine.TestEngine.plan;
import static dev.caisson.engine.TestEngine.process;
import static dev.caisson.engine.TestEngine.refused;
import static dev.caisson.engine.TestEngine.runExec;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.engine.FakeSandbox.Call;
import dev.caisson.engine.FakeSandbox.Step;
import dev.caisson.linux.Signal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What pods have in them: creating in them, finding, listing, killing, deleting. */
class PodsTest {
  private static final Signal USR1 = new Signal(10);
  private static final TaskId POD = new TaskId("pod");
  private static final TaskId ONE = new TaskId("one");
  private static final TaskId TWO = new TaskId("two");

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

  // ---- create ----

  @Tag("pod-15")
  @Test
  void aWorkloadNeedsItsPod() {
    refused(Reason.WRONG_STATE, () -> engine.create("pod", "one"))
        .hasMessageContaining("no pod 'pod'");

    assertThat(engine.pods.all()).isEmpty();
  }

  @Tag("pod-30")
  @Test
  void thePodsIdIsTakenWhateverItsSandboxDoes() throws Exception {
    var sandbox = engine.create("pod", "pod");
    refused(Reason.ALREADY_EXISTS, () -> engine.create("pod", "pod"));
    sandbox.start();
    refused(Reason.ALREADY_EXISTS, () -> engine.create("pod", "pod"));
    engine.end(sandbox, 0);
    refused(Reason.ALREADY_EXISTS, () -> engine.create("pod", "pod"));
    refused(Reason.ALREADY_EXISTS, () -> engine.create("other", "pod"));

    assertThat(engine.pods.get(POD)).isSameAs(sandbox);
  }

  @Tag("pod-31")
  @Test
  void aWorkloadNeedsARunningSandbox() throws Exception {
    var sandbox = engine.create("pod", "pod");
    refused(Reason.WRONG_STATE, () -> engine.create("pod", "one"))
        .hasMessageContaining("does not run");
    sandbox.start();
    engine.create("pod", "one");
    engine.end(sandbox, 0);

    refused(Reason.WRONG_STATE, () -> engine.create("pod", "two"));
    assertThat(engine.sandbox.calls(Step.CREATE)).extracting(Call::task).doesNotContain(TWO);
  }

  @Tag("pod-32")
  @Test
  void aKnownWorkloadIsNotMadeAgain() {
    engine.running("pod", "pod");
    var one = engine.create("pod", "one");

    refused(Reason.ALREADY_EXISTS, () -> engine.create("pod", "one"));
    refused(Reason.ALREADY_EXISTS, () -> engine.create("one", "one"));

    assertThat(engine.pods.get(ONE)).isSameAs(one);
    assertThat(engine.sandbox.calls(Step.CREATE)).hasSize(2);
  }

  @Tag("pod-42")
  @Test
  void afterAFailedCreateTheIdIsFreeAndNothingIsLeft() throws IOException {
    engine.running("pod", "pod");
    engine.sandbox.failOnce(Step.CREATE);

    refused(Reason.INTERNAL, () -> engine.create("pod", "one"));

    assertThat(engine.pods.find(ONE)).isEmpty();
    assertThat(engine.files("one")).isEmpty();
    assertThat(engine.events("one")).isEmpty();
    engine.create("pod", "one").start();
    assertThat(engine.events("one")).containsExactly("created", "started");
  }

  @Tag("pod-43")
  @Test
  void theIdOfADeletedWorkloadIsFree() throws Exception {
    engine.running("pod", "pod");
    engine.end(engine.running("pod", "one"), 3);
    engine.pods.delete(ONE);

    engine.running("pod", "one");

    assertThat(engine.events("one"))
        .containsExactly("created", "started", "exited 3", "deleted 3", "created", "started");
  }

  @Test
  void aTaskIsFoundByWhoeverHearsOfIt() {
    var found = new ArrayList<Boolean>();
    engine.pods.events().subscribe(event -> found.add(engine.pods.find(event.task()).isPresent()));

    engine.running("pod", "pod");

    assertThat(found).containsExactly(true, true);
  }

  // ---- get and list ----

  @Tag("pod-44")
  @Test
  void aPodsIdIsItsSandboxTask() {
    var sandbox = engine.create("pod", "pod");

    assertThat(engine.pods.get(POD)).isSameAs(sandbox);
    refused(Reason.NOT_FOUND, () -> engine.pods.get(new TaskId("random")))
        .hasMessageContaining("'random'");
  }

  @Tag("pod-45")
  @Test
  void theSandboxIsListedBeforeItsWorkloads() {
    engine.running("pod", "pod");
    engine.create("pod", "two");
    engine.create("pod", "a-first");
    engine.create("other", "other");

    assertThat(engine.pods.list(new PodId("pod")))
        .extracting(task -> task.id().value())
        .containsExactly("pod", "a-first", "two");
    assertThat(engine.pods.all()).hasSize(4);
  }

  // ---- kill ----

  @Tag("pod-46")
  @Test
  void anUnknownTaskIsToldBeforeAWrongRequest() {
    refused(
        Reason.NOT_FOUND, () -> engine.pods.kill(ONE, Optional.of(exec("sh")), Signal.TERM, true));
    refused(Reason.NOT_FOUND, () -> engine.pods.kill(ONE, INIT, Signal.TERM, false));
  }

  @Tag("pod-47")
  @Test
  void allTogetherWithAnExecIsRefusedAndNobodyIsSignalled() {
    var sandbox = engine.running("pod", "pod");
    runExec(sandbox, "sh");
    var one = engine.running("pod", "one");
    runExec(one, "sh");

    for (var id : new TaskId[] {POD, ONE}) {
      refused(
          Reason.WRONG_STATE,
          () -> engine.pods.kill(id, Optional.of(exec("sh")), Signal.TERM, true));
    }

    assertThat(engine.sandbox.calls(Step.SIGNAL)).isEmpty();
    assertThat(engine.sandbox.calls(Step.SIGNAL_ALL)).isEmpty();
  }

  @Tag("pod-48")
  @Test
  void allOfAPodIsEveryWorkloadAndItsSandboxLast() {
    engine.sandbox.ignore(USR1);
    engine.running("pod", "pod");
    runExec(engine.running("pod", "one"), "sh");
    engine.running("pod", "two");

    engine.pods.kill(POD, INIT, USR1, true);

    assertThat(engine.sandbox.calls(Step.SIGNAL_ALL))
        .extracting(Call::about)
        .containsOnly(USR1.toString());
    assertThat(engine.sandbox.calls(Step.SIGNAL_ALL))
        .extracting(Call::task)
        .containsExactlyInAnyOrder(ONE, TWO, POD)
        .endsWith(POD);
  }

  @Tag("pod-49")
  @Test
  void allOfAWorkloadLeavesTheOthersAlone() {
    engine.sandbox.ignore(USR1);
    engine.running("pod", "pod");
    engine.running("pod", "one");
    engine.running("pod", "two");

    engine.pods.kill(ONE, INIT, USR1, true);

    assertThat(engine.sandbox.calls(Step.SIGNAL_ALL)).extracting(Call::task).containsExactly(ONE);
    assertThat(engine.sandbox.calls(Step.SIGNAL)).isEmpty();
  }

  @Tag("pod-50")
  @Test
  void aPodsIdAloneIsTheInitOfItsSandbox() {
    engine.sandbox.ignore(USR1);
    runExec(engine.running("pod", "pod"), "sh");
    engine.running("pod", "one");

    engine.pods.kill(POD, INIT, USR1, false);

    assertThat(engine.sandbox.calls(Step.SIGNAL)).extracting(Call::task).containsExactly(POD);
    assertThat(engine.sandbox.calls(Step.SIGNAL_ALL)).isEmpty();
  }

  @Tag("pod-51")
  @Test
  void membersThatHaveExitedArePassedOver() throws Exception {
    engine.sandbox.ignore(USR1);
    engine.running("pod", "pod");
    engine.end(engine.running("pod", "one"), 0);
    engine.running("pod", "two");
    int before = engine.sandbox.calls(Step.SIGNAL_ALL).size();

    engine.pods.kill(POD, INIT, USR1, true);

    var calls = engine.sandbox.calls(Step.SIGNAL_ALL);
    assertThat(calls.subList(before, calls.size()))
        .extracting(Call::task)
        .containsExactly(TWO, POD);
  }

  @Test
  void aMemberThatCannotBeSignalledDoesNotSaveTheOthersAndIsTold() {
    engine.sandbox.ignore(USR1);
    engine.running("pod", "pod");
    engine.running("pod", "one");
    var failure = engine.sandbox.failOnce(Step.SIGNAL_ALL);

    refused(Reason.INTERNAL, () -> engine.pods.kill(POD, INIT, USR1, true)).isSameAs(failure);

    assertThat(engine.sandbox.calls(Step.SIGNAL_ALL)).extracting(Call::task).endsWith(POD);
  }

  @Test
  void killingAllOfAnExitedWorkloadIsNotFound() throws Exception {
    engine.running("pod", "pod");
    engine.end(engine.running("pod", "one"), 0);

    refused(Reason.NOT_FOUND, () -> engine.pods.kill(ONE, INIT, Signal.TERM, true));
  }

  @Test
  void allOfACreatedTaskEndsIt() throws Exception {
    var task = engine.create("pod", "pod");

    engine.pods.kill(POD, INIT, Signal.TERM, true);

    assertThat(TestEngine.exit(task, INIT).status()).isEqualTo(ExitStatus.NEVER_RAN);
  }

  // ---- delete ----

  @Tag("pod-52")
  @Test
  void whatRunsIsNotDeleted() {
    var sandbox = engine.running("pod", "pod");
    var one = engine.running("pod", "one");

    refused(Reason.WRONG_STATE, () -> engine.pods.delete(ONE)).hasMessageContaining("running");
    assertThat(engine.pods.get(ONE)).isSameAs(one);
    refused(Reason.WRONG_STATE, () -> engine.pods.delete(POD));
    assertThat(engine.pods.get(POD)).isSameAs(sandbox);
    assertThat(engine.sandbox.calls(Step.DELETE)).isEmpty();
  }

  @Tag("pod-53")
  @Test
  void anExitedWorkloadIsDeletedOnce() throws Exception {
    engine.running("pod", "pod");
    engine.end(engine.running("pod", "one"), 9);

    assertThat(engine.pods.delete(ONE).status().code()).isEqualTo(9);
    refused(Reason.NOT_FOUND, () -> engine.pods.delete(ONE));
    refused(Reason.NOT_FOUND, () -> engine.pods.get(ONE));

    assertThat(engine.files("one")).isEmpty();
    assertThat(engine.events("one")).containsExactly("created", "started", "exited 9", "deleted 9");
  }

  @Tag("pod-123")
  @Test
  void aSandboxWithWorkloadsStaysAndIsDeletedAfterThem() throws Exception {
    var sandbox = engine.running("pod", "pod");
    engine.create("pod", "one");
    engine.end(sandbox, 4);

    refused(Reason.WRONG_STATE, () -> engine.pods.delete(POD))
        .hasMessageContaining("1 other task ");
    assertThat(engine.events("pod")).doesNotContain("deleted 4");
    engine.pods.delete(ONE);

    assertThat(engine.pods.delete(POD).status().code()).isEqualTo(4);
    assertThat(engine.pods.all()).isEmpty();
  }

  @Test
  void aCreatedSandboxThatIsRefusedForItsWorkloadsIsNotEnded() throws Exception {
    var sandbox = engine.running("pod", "pod");
    var one = engine.create("pod", "one");
    engine.end(sandbox, 0);
    refused(Reason.WRONG_STATE, () -> engine.pods.delete(POD));

    assertThat(one.state()).isEqualTo(new ExecState.Created());
    assertThat(engine.sandbox.calls(Step.DELETE)).isEmpty();
  }

  @Test
  void aDeletedSandboxIsGoneWithItsPod() throws Exception {
    engine.end(engine.running("pod", "pod"), 0);
    engine.pods.delete(POD);

    refused(Reason.NOT_FOUND, () -> engine.pods.delete(POD));
    refused(Reason.NOT_FOUND, () -> engine.pods.get(POD));
    refused(Reason.WRONG_STATE, () -> engine.create("pod", "one"));
    engine.create("pod", "pod");
  }

  @Test
  void aFailedDeleteCanBeTriedAgain() throws Exception {
    var task = engine.running("pod", "pod");
    createExec(task, "sh");
    engine.end(task, 6);
    engine.sandbox.failOnce(Step.DELETE);

    refused(Reason.INTERNAL, () -> engine.pods.delete(POD));

    assertThat(engine.pods.get(POD)).isSameAs(task);
    assertThat(engine.events("pod")).doesNotContain("deleted 6");
    assertThat(engine.pods.delete(POD).status().code()).isEqualTo(6);
    assertThat(engine.events("pod")).containsOnlyOnce("deleted 6");
    assertThat(engine.files("pod")).isEmpty();
  }

  @Test
  void whatWasDeletedKeepsNoProcess() throws Exception {
    var task = engine.create("pod", "pod");
    task.start();
    var init = process(task, INIT);
    engine.end(task, 0);

    engine.pods.delete(POD);

    assertThat(engine.sandbox.isAlive(init)).isFalse();
    assertThat(engine.exits.acknowledged()).contains(init);
  }

  @Test
  void aPlanOfOneIsAPodOfItsOwn() {
    var task = engine.pods.create(plan("alone", "alone"));

    assertThat(engine.pods.list(new PodId("alone"))).containsExactly(task);
  }
}
