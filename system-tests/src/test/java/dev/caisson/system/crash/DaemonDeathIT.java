package dev.caisson.system.crash;

import static dev.caisson.system.TestNode.BUSYBOX;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.library.AttachSettings;
import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.ContainerState;
import dev.caisson.library.LogReader;
import dev.caisson.library.LogSettings;
import dev.caisson.library.MountSettings;
import dev.caisson.library.NodeInfo;
import dev.caisson.system.Installed;
import dev.caisson.system.Leftovers;
import dev.caisson.system.PseudoTerminal;
import dev.caisson.system.TestNode;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The daemon, or its keeper, is killed under running work. */
@Tag("root")
@Timeout(300)
class DaemonDeathIT {
  private static final int KILLS = 50;
  private static final int MAKING_KILLS = 30;

  private TestNode node;

  @BeforeEach
  void open() {
    node = TestNode.open();
  }

  @AfterEach
  void close() {
    node.close();
  }

  @Test
  void aContainerGoesOnAndIsTakenOver() throws Exception {
    var id = node.start("while :; do sleep 0.1; done");
    var pid = node.containers().inspect(id).pid();

    killDaemon();

    assertThat(Path.of("/proc/" + pid)).exists();
    assertThat(node.containers().inspect(id).pid()).isEqualTo(pid);
    assertThat(node.exec(id, "echo", "here").stdout()).isEqualTo("here\n");
    node.containers().remove(id, true);
    assertThat(Path.of("/proc/" + pid)).doesNotExist();
  }

  @Tag("case-40")
  @Test
  void anExitWhileThereIsNoDaemonIsKnownAfterwards() throws Exception {
    var fifo = node.directory().resolve("gate");
    run("mkfifo", fifo.toString());
    var id =
        node.start(
            ContainerSettings.of(BUSYBOX, "sh", "-c", "cat /gate; exit 42")
                .withMounts(List.of(MountSettings.bind(fifo.toString(), "/gate"))));
    var daemon = ProcessHandle.of(node.daemonPid()).orElseThrow();
    daemon.destroyForcibly();
    Files.writeString(fifo, "go");

    assertThat(node.containers().await(id).code()).isEqualTo(42);
  }

  @Tag("case-54")
  @Test
  void noByteOfOutputAndNoExitIsLostAtFiftyDeathsOfTheDaemon() throws Exception {
    var flags = Files.createDirectory(node.directory().resolve("flags"));
    var script =
        """
        i=0
        while [ ! -e /flags/stop ]; do
          i=$((i+1)); echo "line $i"; [ $((i%20)) = 0 ] && sleep 0.005
        done
        exit 23
        """;
    var id =
        node.containers()
            .create(
                ContainerSettings.of(BUSYBOX, "sh", "-c", script)
                    .withMounts(List.of(MountSettings.bind(flags.toString(), "/flags"))))
            .id();
    var random = new Random(42);
    try (var attachment = node.containers().attach(id, AttachSettings.OUTPUT)) {
      node.containers().start(id);
      var output = TestNode.text(attachment.stdout());
      var end = CompletableFuture.supplyAsync(attachment::await, t -> Thread.ofVirtual().start(t));
      for (int i = 0; i < KILLS; i++) {
        killDaemon();
        // Not to wait for anything, but to hit another moment each time.
        TimeUnit.MILLISECONDS.sleep(random.nextInt(200));
      }
      Files.createFile(flags.resolve("stop"));

      assertThat(end.get(120, TimeUnit.SECONDS).code()).isEqualTo(23);
      var lines = output.get(60, TimeUnit.SECONDS).lines().toList();
      assertThat(lines).hasSizeGreaterThan(1000);
      for (int i = 0; i < lines.size(); i++) {
        assertThat(lines.get(i)).isEqualTo("line " + (i + 1));
      }
      assertThat(logOf(id).lines().toList()).isEqualTo(lines);
    }
  }

  @Tag("case-54")
  @Test
  void whatAClientSendsArrivesOnceAtTwentyDeathsOfTheDaemon() throws Exception {
    var settings = ContainerSettings.of(BUSYBOX, "cat");
    var id =
        node.containers().create(settings.withProcess(settings.process().withStdin(true))).id();
    var random = new Random(43);
    var sent = new StringBuilder();
    try (var attachment = node.containers().attach(id, AttachSettings.ALL)) {
      node.containers().start(id);
      var output = TestNode.text(attachment.stdout());
      try (var in = attachment.stdin()) {
        for (int i = 0; i < 20; i++) {
          var killed = CompletableFuture.runAsync(this::killDaemonQuietly);
          do {
            var line = "line " + random.nextLong() + "\n";
            in.write(line.getBytes(StandardCharsets.UTF_8));
            sent.append(line);
            // Not to wait for anything: some lines at each moment are enough.
            TimeUnit.MILLISECONDS.sleep(1);
          } while (!killed.isDone());
          killed.get();
        }
      }

      assertThat(attachment.await().code()).isZero();
      assertThat(output.get(60, TimeUnit.SECONDS)).isEqualTo(sent.toString());
    }
  }

  @Test
  void terminalsGoOnBothWaysAndFollowTheWindow() throws Exception {
    try (var first = PseudoTerminal.open();
        var second = PseudoTerminal.open()) {
      var run = first.start(environment(), caisson("run", "-it", "--name", "t", BUSYBOX, "sh"));
      first.await("/ # ");
      var exec = second.start(environment(), caisson("exec", "-it", "t", "sh"));
      second.await("/ # ");

      for (int i = 0; i < 5; i++) {
        killDaemon();
        for (var terminal : List.of(first, second)) {
          terminal.resize(100 + i, 40);
          terminal.type("until [ \"$(stty size)\" = '40 10" + i + "' ]; do sleep 0.02; done; ");
          terminal.type("echo ro''und " + i + "\r");
        }
        first.await("round " + i + "\r\n");
        second.await("round " + i + "\r\n");
      }

      second.type("exit 4\r");
      assertThat(second.await(exec)).isEqualTo(4);
      first.type("exit 3\r");
      assertThat(first.await(run)).isEqualTo(3);
    }
  }

  private Map<String, String> environment() {
    var environment = new HashMap<>(System.getenv());
    environment.put("CAISSON_ROOT", node.directory().toString());
    return environment;
  }

  private static List<String> caisson(String... words) {
    var command = new ArrayList<>(List.of(Installed.program("caisson").toString()));
    command.addAll(List.of(words));
    return command;
  }

  @Test
  void aDaemonThatIsAskedToEndLeavesContainersRunning() throws Exception {
    var id = node.start("sleep 1000");
    var before = node.caisson().info();

    ProcessHandle.of(before.daemonPid()).orElseThrow().destroy();
    awaitAnother(before.daemonPid());

    assertThat(node.containers().inspect(id).summary().state()).isEqualTo(ContainerState.RUNNING);
  }

  @Tag("case-37")
  @Test
  void aDeathAtAnyMomentOfMakingAndStartingLeavesOneContainerOrNone() throws Exception {
    node.run("true");
    var before = Leftovers.before(node);
    for (int i = 0; i < MAKING_KILLS; i++) {
      int pid = node.daemonPid();
      var name = "made-" + i;
      var made =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  node.start(
                      ContainerSettings.of(TestNode.BUSYBOX, "sleep", "1000").withName(name));
                  return true;
                } catch (CaissonException e) {
                  return false;
                }
              },
              task -> Thread.ofPlatform().start(task));
      // A making takes some 60 ms here: one more of them passes each time.
      TimeUnit.MILLISECONDS.sleep(4L * i);
      ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
      awaitAnother(pid);
      made.get(60, TimeUnit.SECONDS);

      var left = node.containers().list();
      assertThat(left).hasSizeLessThanOrEqualTo(1);
      for (var container : left) {
        if (container.state() == ContainerState.CREATED) {
          node.containers().start(container.id());
        }
        node.containers().remove(container.id(), true);
      }
    }
    before.assertNone();
  }

  @Test
  void imagesAndEndedContainersSurviveTheDaemon() throws Exception {
    var id = node.start("exit 7");
    assertThat(node.containers().await(id).code()).isEqualTo(7);

    killDaemon();

    assertThat(node.containers().await(id).code()).isEqualTo(7);
    assertThat(node.caisson().images().list()).hasSize(1);
    assertThat(node.run("echo again").stdout()).isEqualTo("again\n");
  }

  private void killDaemonQuietly() {
    try {
      killDaemon();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void killDaemon() throws InterruptedException {
    int pid = node.daemonPid();
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    awaitAnother(pid);
  }

  private NodeInfo awaitAnother(int pid) throws InterruptedException {
    var deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (System.nanoTime() < deadline) {
      try {
        var info = node.caisson().info();
        if (info.daemonPid() != pid) {
          return info;
        }
      } catch (CaissonException e) {
        assertThat(e.getMessage()).isNotEmpty();
      }
      TimeUnit.MILLISECONDS.sleep(10);
    }
    throw new AssertionError("no other daemon within 60 s");
  }

  private String logOf(String id) {
    var all = new ByteArrayOutputStream();
    try (var log = node.containers().logs(id, LogSettings.ALL)) {
      for (Optional<LogReader.Entry> e; (e = log.next()).isPresent(); ) {
        all.writeBytes(e.get().bytes());
      }
    }
    return all.toString(StandardCharsets.UTF_8);
  }

  private static void run(String... command) throws Exception {
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }
}
