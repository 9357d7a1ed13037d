package dev.caisson.system.containers;

import static dev.caisson.system.TestNode.BUSYBOX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.library.AttachSettings;
import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.ContainerState;
import dev.caisson.library.EventFilter;
import dev.caisson.library.ExecSettings;
import dev.caisson.library.Limits;
import dev.caisson.library.LogReader;
import dev.caisson.library.LogSettings;
import dev.caisson.library.NodeEvent;
import dev.caisson.library.ProcessSettings;
import dev.caisson.library.Reason;
import dev.caisson.system.TestNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Containers from their making to their end, seen through the library and checked at the kernel.
 */
@Tag("root")
@Timeout(120)
class LifecycleIT {
  private static TestNode node;

  @BeforeAll
  static void open() {
    node = TestNode.open();
  }

  @AfterAll
  static void close() {
    node.close();
  }

  @Test
  void aContainerHasItsOwnNameProcessesAndRoot() {
    var outcome =
        node.run(
            ContainerSettings.of(
                    BUSYBOX, "sh", "-c", "hostname; echo $$; ls /; readlink /proc/1/exe")
                .withHostname("hello"));

    assertThat(outcome.code()).isZero();
    assertThat(outcome.stdout())
        .startsWith("hello\n1\nbin\ndev\n")
        .endsWith("/bin/busybox\n")
        .doesNotContain("boot");
  }

  @Test
  void aContainersEndLeavesNeitherMountNorCgroupNorProcess() {
    var id = node.start("sleep 1000");
    assertThat(TestNode.cgroup(id)).isDirectory();
    var pid = node.containers().inspect(id).pid();
    assertThat(Path.of("/proc/" + pid)).exists();

    node.containers().remove(id, true);

    assertThat(TestNode.cgroup(id)).doesNotExist();
    assertThat(Path.of("/proc/" + pid)).doesNotExist();
    assertThat(node.mounts()).noneMatch(line -> line.contains(id));
    assertThat(node.directory().resolve("containers").resolve(id)).doesNotExist();
    assertThat(node.directory().resolve("run/tasks").resolve(id)).doesNotExist();
  }

  @Tag("pod-62")
  @Test
  void exitCodesAndSignalsAreToldAsTheyAre() {
    assertThat(node.run("exit 37").code()).isEqualTo(37);
    var id = node.start("sleep 1000");
    node.containers().kill(id, "KILL", false);
    assertThat(node.containers().await(id).code()).isEqualTo(137);
  }

  @Tag("case-34")
  @Test
  void everyExitCodeOfManyShortContainersIsRight() throws Exception {
    try (var threads = Executors.newFixedThreadPool(8)) {
      var codes = new ArrayList<Future<Integer>>();
      for (int i = 0; i < 60; i++) {
        var code = i % 3 == 0 ? 0 : i % 3 == 1 ? 1 : 37;
        codes.add(threads.submit(() -> node.run("exit " + code).code() - code));
      }
      for (var difference : codes) {
        assertThat(difference.get()).isZero();
      }
    }
  }

  @Test
  void outputIsExactAndSeparate() {
    var outcome =
        node.run(
            "head -c 3000000 /dev/zero | tr '\\0' x; head -c 100000 /dev/zero | tr '\\0' y >&2");

    assertThat(outcome.stdout()).hasSize(3_000_000).containsOnlyOnce("x".repeat(3_000_000));
    assertThat(outcome.stderr()).hasSize(100_000).matches("y+");
  }

  @Test
  void inputReachesTheProgramAndEndsWhereItEnds() {
    var settings =
        ContainerSettings.of(BUSYBOX, "sh", "-c", "cat; echo end")
            .withProcess(ProcessSettings.of("sh", "-c", "cat; echo end").withStdin(true));

    assertThat(node.run(settings, "hello\n".getBytes(StandardCharsets.UTF_8)).stdout())
        .isEqualTo("hello\nend\n");
  }

  @Test
  void theLogHoldsWhatWasWritten() {
    var id = node.start("echo one; echo two >&2; printf three");
    node.containers().await(id);

    try (var log = node.containers().logs(id, LogSettings.ALL)) {
      var text = new ArrayList<String>();
      for (Optional<LogReader.Entry> e; (e = log.next()).isPresent(); ) {
        text.add(
            (e.get().error() ? "E:" : "O:") + new String(e.get().bytes(), StandardCharsets.UTF_8));
      }
      assertThat(text).containsExactlyInAnyOrder("O:one\n", "E:two\n", "O:three");
    }
    node.containers().remove(id, false);
  }

  @Tag("pod-73")
  @Test
  void aRunningContainerIsRemovedByForceOnly() {
    var id = node.start("sleep 1000");

    assertThatThrownBy(() -> node.containers().remove(id, false))
        .isInstanceOfSatisfying(
            CaissonException.class, e -> assertThat(e.reason()).isEqualTo(Reason.WRONG_STATE))
        .hasMessageContaining("it is running");
    assertThat(node.exec(id, "echo", "still there").stdout()).isEqualTo("still there\n");
    node.containers().remove(id, true);
    assertThatThrownBy(() -> node.containers().inspect(id))
        .isInstanceOfSatisfying(
            CaissonException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NOT_FOUND));
  }

  @Test
  void aContainerThatEndedCanBeStartedAgainWithItsChanges() {
    var id = node.start("cat /kept 2>/dev/null; echo again >> /kept");
    assertThat(node.containers().await(id).code()).isZero();
    assertThat(node.containers().inspect(id).summary().state()).isEqualTo(ContainerState.EXITED);

    try (var attachment = node.containers().attach(id, AttachSettings.OUTPUT)) {
      node.containers().start(id);
      assertThat(TestNode.text(attachment.stdout()).join()).isEqualTo("again\n");
    }
    node.containers().remove(id, true);
  }

  @Tag("pod-81")
  @Test
  void stopAsksFirstAndKillsAfterTheGrace() {
    var polite = node.start("trap 'exit 5' TERM; while :; do sleep 0.1; done");
    node.containers().stop(polite, Optional.of(Duration.ofSeconds(60)));
    assertThat(node.containers().await(polite).code()).isEqualTo(5);

    var stubborn = node.start("trap '' TERM; while :; do sleep 0.1; done");
    node.containers().stop(stubborn, Optional.of(Duration.ofMillis(300)));
    assertThat(node.containers().await(stubborn).code()).isEqualTo(137);

    node.containers().stop(stubborn, Optional.empty());
    node.containers().remove(polite, false);
    node.containers().remove(stubborn, false);
  }

  @Tag("case-42")
  @Test
  void whatCannotBeRunIsToldFromWhatIsNotThere() {
    assertThat(failureOf("/no/such")).isEqualTo(Reason.PROGRAM_NOT_FOUND);
    assertThat(failureOf("nosuch")).isEqualTo(Reason.PROGRAM_NOT_FOUND);
    assertThat(failureOf("/etc")).isEqualTo(Reason.PROGRAM_NOT_EXECUTABLE);
    assertThat(failureOf("/etc/passwd")).isEqualTo(Reason.PROGRAM_NOT_EXECUTABLE);
    assertThat(node.containers().list()).noneMatch(c -> c.command().contains("/no/such"));
  }

  private static Reason failureOf(String program) {
    try {
      node.run(ContainerSettings.of(BUSYBOX, program));
      throw new AssertionError("'" + program + "' ran");
    } catch (CaissonException e) {
      return e.reason();
    }
  }

  @Test
  void execsRunBesideTheFirstProgramAndAreToldApart() {
    var id = node.start("sleep 1000");

    assertThat(node.exec(id, "sh", "-c", "echo out; echo err >&2; exit 3"))
        .satisfies(outcome -> {
          assertThat(outcome.code()).isEqualTo(3);
          assertThat(outcome.stdout()).isEqualTo("out\n");
          assertThat(outcome.stderr()).isEqualTo("err\n");
        });
    var exec = node.containers().execDetached(id, ExecSettings.of("sleep", "1000"));
    assertThat(node.containers().inspect(id).execs()).containsExactly(exec);
    assertThat(node.containers().top(id))
        .hasSize(2)
        .anyMatch(p -> p.exec().equals(Optional.of(exec)));
    assertThatThrownBy(() -> node.exec(id, "/no/such"))
        .isInstanceOfSatisfying(
            CaissonException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.PROGRAM_NOT_FOUND));
    node.containers().remove(id, true);
  }

  @Tag("pod-68")
  @Tag("case-51")
  @Test
  void aBackgroundChildHoldingTheOutputDoesNotHoldUpTheEnd() {
    var id = node.start("sleep 1000");

    assertThat(node.exec(id, "sh", "-c", "sleep 900 & echo done").stdout()).isEqualTo("done\n");
    node.containers().remove(id, true);
  }

  @Tag("case-44")
  @Test
  void aPausedContainerRefusesExecsAndCanBeStopped() throws Exception {
    var id = node.start("sleep 1000");
    node.containers().pause(id);

    assertThat(node.containers().inspect(id).summary().state()).isEqualTo(ContainerState.PAUSED);
    assertThatThrownBy(() -> node.exec(id, "true")).hasMessageContaining("paused");
    node.containers().unpause(id);
    assertThat(node.exec(id, "true").code()).isZero();

    node.containers().pause(id);
    node.containers().stop(id, Optional.of(Duration.ofMillis(100)));
    assertThat(node.containers().await(id).code()).isIn(137, 143);
    node.containers().remove(id, false);
  }

  @Tag("pod-67")
  @Test
  void eventsComeInOrder() {
    var since = Instant.now();
    var id = node.start("true");
    node.containers().await(id);
    node.containers().remove(id, false);

    var topics = new ArrayList<String>();
    try {
      node.caisson()
          .events(
              new EventFilter(Optional.of(id), Optional.of(since), Optional.empty()),
              (NodeEvent event) -> {
                topics.add(event.topic());
                if (event.topic().equals("/tasks/delete")) {
                  throw new Seen();
                }
              });
    } catch (Seen e) {
      assertThat(topics)
          .containsExactly("/tasks/create", "/tasks/start", "/tasks/exit", "/tasks/delete");
    }
  }

  private static final class Seen extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  @Test
  void aNameIsTakenUntilItsContainerIsRemoved() {
    var settings = ContainerSettings.of(BUSYBOX, "true").withName("only-one");
    var id = node.containers().create(settings).id();

    assertThatThrownBy(() -> node.containers().create(settings))
        .isInstanceOfSatisfying(
            CaissonException.class, e -> assertThat(e.reason()).isEqualTo(Reason.ALREADY_EXISTS));
    node.containers().remove("only-one", false);
    assertThat(node.containers().create(settings).id()).isNotEqualTo(id);
    node.containers().remove("only-one", false);
  }

  @Test
  void badSettingsAreRefusedBeforeAnythingChanges() {
    var before = node.containers().list().size();
    var bad =
        List.of(
            ContainerSettings.of(BUSYBOX, "true").withName("no spaces"),
            ContainerSettings.of(BUSYBOX, "true").withNetwork("moon"),
            ContainerSettings.of(BUSYBOX, "true").withRuntime("/no/runtime"),
            ContainerSettings.of(BUSYBOX, "true").withStopSignal("SIGFOO"),
            ContainerSettings.of("no/such/image", "true"),
            ContainerSettings.of(BUSYBOX, "true")
                .withProcess(ProcessSettings.of("true").withUser("nosuchuser")));

    for (var settings : bad) {
      assertThatThrownBy(() -> node.containers().create(settings))
          .isInstanceOf(CaissonException.class);
    }
    assertThat(node.containers().list()).hasSize(before);
    assertThat(node.mounts()).hasSize(before);
  }

  @Test
  void limitsReachTheKernelAndCanBeChangedWhileItRuns() throws Exception {
    var id =
        node.start(
            ContainerSettings.of(BUSYBOX, "sleep", "1000")
                .withLimits(Limits.NONE.withMemory(64 << 20).withPids(20)));

    assertThat(Files.readString(TestNode.cgroup(id).resolve("pids.max")).strip()).isEqualTo("20");
    assertThat(node.containers().stats(id).memoryLimitBytes()).isEqualTo(64 << 20);
    node.containers().update(id, Limits.NONE.withPids(30));
    assertThat(Files.readString(TestNode.cgroup(id).resolve("pids.max")).strip()).isEqualTo("30");
    assertThat(node.containers().stats(id).pids()).isEqualTo(1);
    node.containers().remove(id, true);
  }

  @Test
  void limitsThatDoNotGoWithThoseSetAreRefusedAndNothingChanges() throws Exception {
    var id =
        node.start(
            ContainerSettings.of(BUSYBOX, "sleep", "1000")
                .withLimits(
                    Limits.NONE
                        .withMemory(64 << 20)
                        .withMemorySwap(128 << 20)
                        .withCpus(500_000_000)
                        .withPids(20)));

    for (var wrong :
        List.of(
            Limits.NONE.withMemory(256 << 20),
            Limits.NONE.withMemorySwap(32 << 20),
            Limits.NONE.withCpuQuota(20_000),
            Limits.NONE.withPids(30).withCpusetCpus("4000"))) {
      assertThatThrownBy(() -> node.containers().update(id, wrong))
          .isInstanceOfSatisfying(
              CaissonException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID));
    }
    assertThat(Files.readString(TestNode.cgroup(id).resolve("pids.max")).strip()).isEqualTo("20");
    assertThat(node.containers().stats(id).memoryLimitBytes()).isEqualTo(64 << 20);
    node.containers().update(id, Limits.NONE.withMemorySwap(64 << 20));
    node.containers().update(id, Limits.NONE.withMemory(32 << 20));
    assertThat(node.containers().stats(id).memoryLimitBytes()).isEqualTo(32 << 20);

    node.containers().stop(id, Optional.of(Duration.ZERO));
    node.containers().start(id);
    assertThat(Files.readString(TestNode.cgroup(id).resolve("pids.max")).strip()).isEqualTo("20");
    assertThat(node.containers().stats(id).memoryLimitBytes()).isEqualTo(32 << 20);
    node.containers().remove(id, true);
  }

  @Test
  void anEndForLackOfMemoryIsToldAsSuch() {
    var outcome =
        node.run(
            ContainerSettings.of(BUSYBOX, "sh", "-c", "exec awk 'BEGIN{a=\"x\"; while(1) a=a a}'")
                .withLimits(Limits.NONE.withMemory(16 << 20).withMemorySwap(16 << 20)));

    assertThat(outcome.code()).isEqualTo(137);
    assertThat(outcome.exit().outOfMemory()).isTrue();
  }

  @Tag("pod-63")
  @Test
  void manyWaitersAreAllTold() {
    var id = node.start("sleep 0.3; exit 9");
    var waiters = new ArrayList<CompletableFuture<Integer>>();
    for (int i = 0; i < 5; i++) {
      waiters.add(
          CompletableFuture.supplyAsync(
              () -> node.containers().await(id).code(), task -> Thread.ofVirtual().start(task)));
    }

    assertThat(waiters).allSatisfy(w -> assertThat(w.join()).isEqualTo(9));
    node.containers().remove(id, false);
  }
}
