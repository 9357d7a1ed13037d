package dev.caisson.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.library.AttachSettings;
import dev.caisson.library.ContainerState;
import dev.caisson.library.ImageSummary;
import dev.caisson.library.Limits;
import dev.caisson.library.LogReader;
import dev.caisson.library.NodeEvent;
import dev.caisson.library.ProcessEntry;
import dev.caisson.library.Reason;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandsTest {
  private final FakeMachine machine = new FakeMachine();
  private final FakeNode node = machine.node;

  @Test
  void aRunConnectsBeforeItStartsAndEndsWithTheCodeOfTheProgram() {
    node.stdout = new ByteArrayInputStream("out\u001b[0m".getBytes(StandardCharsets.UTF_8));
    node.stderr = new ByteArrayInputStream("err".getBytes(StandardCharsets.UTF_8));
    node.code = 42;
    node.warnings = List.of("no swap\u001b[1m");

    int code = machine.run("run", "--rm", "busybox", "--flag-of-program");

    assertThat(code).isEqualTo(42);
    assertThat(machine.output()).isEqualTo("out\u001b[0m");
    assertThat(machine.errors()).isEqualTo("caisson: warning: no swap\\x1b[1m\nerr");
    assertThat(node.calls)
        .containsSubsequence(
            "create busybox",
            "attach " + FakeNode.ID,
            "start " + FakeNode.ID,
            "await " + FakeNode.ID,
            "close " + FakeNode.ID);
    assertThat(node.attached).contains(AttachSettings.OUTPUT);
    assertThat(node.created.getLast().process().command()).containsExactly("--flag-of-program");
  }

  @Test
  void aDetachedRunPrintsTheId() {
    assertThat(machine.run("run", "-d", "busybox")).isZero();
    assertThat(machine.output()).isEqualTo(FakeNode.ID + "\n");
    assertThat(node.calls).doesNotContain("attach " + FakeNode.ID);
  }

  @Test
  void aMissingImageIsPulledWhereItsProgressIsSeen() {
    assertThat(machine.run("run", "-d", "alpine")).isZero();

    assertThat(node.calls).containsExactly("create alpine", "pull alpine ", "start " + FakeNode.ID);
    assertThat(machine.errors()).isEqualTo("abababababab: done\n");
  }

  @Test
  void aPullOnATerminalShowsABarForEachBlob() {
    machine.terminals.add(2);

    assertThat(machine.run("pull", "alpine")).isZero();

    assertThat(machine.errors())
        .contains("\r\u001b[Kabababababab: downloading [===============>")
        .endsWith("\u001b[1A\r\u001b[Kabababababab: done\n");
    assertThat(machine.output())
        .isEqualTo("Digest: sha256:resolved\nStatus: Downloaded newer image for alpine\nalpine\n");
  }

  @Test
  void whatAPullTellsAtOnceStaysAboveTheBars() {
    machine.terminals.add(2);
    node.notice = "'example.org': rate limited; trying again in 2000 ms";

    machine.run("pull", "alpine");

    assertThat(machine.errors())
        .contains("\u001b[1A\r\u001b[J'example.org': rate limited; trying again in 2000 ms\n");
  }

  @Test
  void anImageThatMustBeThereIsNotPulled() {
    assertThat(machine.run("run", "--pull", "never", "alpine")).isEqualTo(125);
    assertThat(node.calls).containsExactly("create alpine");
  }

  @ParameterizedTest
  @CsvSource({
    "PROGRAM_NOT_FOUND, 127",
    "PROGRAM_NOT_EXECUTABLE, 126",
    "WRONG_STATE, 125",
    "INTERNAL, 125"
  })
  void aFailedStartHasDockersExitCodeAndLeavesNothingWithRm(Reason reason, int expected) {
    node.fail("start", reason);

    assertThat(machine.run("run", "--rm", "busybox")).isEqualTo(expected);
    assertThat(machine.errors()).isEqualTo("caisson: start: it is broken\n  mend it\n");
    assertThat(node.calls).contains("remove " + FakeNode.ID + " true");
  }

  @Test
  void failuresOfOtherCommandsHaveExitCode1AndTheOthersGoOn() {
    node.fail("stop", Reason.NOT_FOUND);

    assertThat(machine.run("stop", "-t", "3", "a", "b")).isEqualTo(1);
    assertThat(node.calls).containsExactly("stop a 3", "stop b 3");
  }

  @Test
  void debugShowsWhereItHappened() {
    node.fail("pause", Reason.INTERNAL);

    machine.run("--debug", "pause", "a");

    assertThat(machine.errors()).contains("at dev.caisson.cli.FakeNode");
  }

  @Test
  void execTakesItsOptionsAndLeavesTheRest() {
    node.code = 9;

    int code = machine.run("exec", "-e", "A=1", "-w", "/w", "-u", "u", "web", "ls", "-l");

    assertThat(code).isEqualTo(9);
    var exec = node.exec.orElseThrow();
    assertThat(exec.command()).containsExactly("ls", "-l");
    assertThat(exec.environment()).containsExactly("A=1");
    assertThat(exec.workingDirectory()).contains("/w");
    assertThat(exec.user()).contains("u");
  }

  @Test
  void aDetachedExecPrintsItsId() {
    assertThat(machine.run("exec", "-d", "--privileged", "web", "ls")).isZero();
    assertThat(machine.output()).isEqualTo("exec-1\n");
    assertThat(node.exec.orElseThrow().privileged()).isTrue();
  }

  @Test
  void psShowsWhatRuns() {
    node.containers.add(FakeNode.container("web", ContainerState.RUNNING, "sleep", "600"));
    node.containers.add(FakeNode.container("old", ContainerState.EXITED, "false"));

    machine.run("ps");

    assertThat(machine.output().lines().toList())
        .hasSize(2)
        .first()
        .asString()
        .matches("CONTAINER ID +IMAGE +COMMAND +CREATED +STATUS +NAMES");
    assertThat(machine.output())
        .containsPattern(
            "0123456789ab +busybox +\"sleep 600\" +\\d+ years ago +Up \\d+ years +web\n");
  }

  @Test
  void psShowsEndedOnesWhenAsked() {
    node.containers.add(FakeNode.container("old", ContainerState.EXITED, "false"));
    node.containers.add(FakeNode.container("new", ContainerState.CREATED, "true"));

    machine.run("ps", "-a", "--format", "{{.Names}}\\t{{.Status}}\\t{{.Label \"tier\"}}");

    assertThat(machine.output().lines().toList())
        .satisfiesExactly(
            line -> assertThat(line).isEqualTo("new\tCreated\tweb"),
            line -> assertThat(line).matches("old\tExited \\(3\\) \\d+ years ago\tweb"));
  }

  @ParameterizedTest
  @CsvSource({
    "status=exited, old",
    "name=ol, old",
    "label=tier=web, 'new,old'",
    "label=other, ''",
    "exited=3, old",
    "id=0123, 'new,old'",
    "ancestor=busybox, 'new,old'"
  })
  void psFilters(String condition, String names) {
    node.containers.add(FakeNode.container("old", ContainerState.EXITED, "false"));
    node.containers.add(FakeNode.container("new", ContainerState.CREATED, "true"));

    machine.run("ps", "-a", "-f", condition, "--format", "{{.Names}}");

    assertThat(machine.output().strip().replace('\n', ',')).isEqualTo(names);
  }

  @Test
  void psShowsTheNewestOnlyAndFullIds() {
    node.containers.add(FakeNode.container("old", ContainerState.RUNNING, "false"));
    node.containers.add(FakeNode.container("new", ContainerState.EXITED, "true"));

    machine.run("ps", "-l", "-q", "--no-trunc");

    assertThat(machine.output()).isEqualTo(FakeNode.ID + "\n");
  }

  @Test
  void psWritesJson() {
    node.containers.add(FakeNode.container("w\u009bb", ContainerState.RUNNING, "a\u001b"));

    machine.run("ps", "--format", "json");

    assertThat(machine.output())
        .startsWith("{\"ID\":\"0123456789ab\"")
        .contains("\"Names\":\"w\\u009bb\"");
  }

  @Test
  void logsPassBytesOnUnchangedToTheirStreams() {
    node.log.add(entry(false, "a\u001b[1m\n"));
    node.log.add(entry(true, "b\n"));
    node.log.add(entry(false, "c"));
    node.log.add(entry(false, "d\n"));

    machine.run("logs", "-t", "-n", "5", "--since", "2020-01-01T00:00:00Z", "web");

    assertThat(machine.output())
        .isEqualTo("2020-01-01T00:00:00Z a\u001b[1m\n2020-01-01T00:00:00Z cd\n");
    assertThat(machine.errors()).isEqualTo("2020-01-01T00:00:00Z b\n");
    assertThat(node.logSettings.orElseThrow().tail()).contains(5);
    assertThat(node.logSettings.orElseThrow().since()).contains(FakeNode.LONG_AGO);
  }

  private static LogReader.Entry entry(boolean error, String text) {
    return new LogReader.Entry(FakeNode.LONG_AGO, error, text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void imagesAreListed() {
    node.images.add(
        new ImageSummary(
            "sha256:" + "ab".repeat(32),
            "localhost:5000/busybox:1.35",
            "sha256:d",
            Optional.of(FakeNode.LONG_AGO),
            2_100_000,
            4_260_000));

    machine.run("images");

    assertThat(machine.output())
        .containsPattern("REPOSITORY +TAG +IMAGE ID +CREATED +SIZE")
        .containsPattern("localhost:5000/busybox +1.35 +abababababab +\\d+ years ago +4.26MB");
  }

  @Test
  void imagesAreHandled() {
    machine.run("pull", "-q", "--platform", "linux/arm64", "alpine");
    machine.run("push", "--insecure-registry", "alpine");
    machine.run("tag", "a", "b");
    machine.run("rmi", "-f", "a");
    machine.run("image", "prune", "-a", "-f");
    machine.run("load");
    machine.run("save", "--format", "oci-archive", "a", "b");

    assertThat(node.calls)
        .containsExactly(
            "pull alpine linux/arm64",
            "push alpine true",
            "tag a b",
            "remove-image a true",
            "prune true",
            "load",
            "save a,b OCI");
    assertThat(machine.output())
        .isEqualTo(
            """
            alpine
            sha256:pushed
            Untagged: a
            Deleted: sha256:gone
            Deleted: sha256:old
            Space given back: 4.26MB
            Loaded image: busybox:latest
            archive\
            """);
  }

  @Test
  void containersAreHandled() {
    machine.run("start", "a");
    machine.run("kill", "-s", "HUP", "a");
    machine.run("pause", "a");
    machine.run("unpause", "a");
    machine.run("restart", "--timeout", "1", "a");
    machine.run("rm", "-f", "a");
    node.code = 5;
    machine.run("wait", "a");

    assertThat(node.calls)
        .containsExactly(
            "start a",
            "kill a HUP false",
            "pause a",
            "unpause a",
            "stop a 1",
            "start a",
            "remove a true",
            "await a");
    assertThat(machine.output()).isEqualTo("a\na\na\na\na\na\n5\n");
  }

  @Test
  void updateChangesLimits() {
    assertThat(machine.run("update", "--memory", "1g", "a")).isZero();
    assertThat(node.updated).contains(Limits.NONE.withMemory(1 << 30));
    assertThat(machine.errors()).contains("swap stays");
    assertThat(machine.run("update", "a")).isEqualTo(125);
  }

  @Test
  void statsShowTheUseBetweenTwoReadings() {
    node.containers.add(FakeNode.container("web", ContainerState.RUNNING, "x"));

    machine.run("stats", "--no-stream");

    assertThat(machine.output())
        .containsPattern("web +50.00% +32MiB / 64MiB +50.00% +1.5MB / 0B +3");
  }

  @Test
  void topShowsProcesses() {
    node.processes.add(
        new ProcessEntry(
            7,
            1,
            "root",
            Instant.now(),
            Duration.ofSeconds(3661),
            "?",
            "sh\n-c",
            Optional.empty()));

    machine.run("top", "web");

    assertThat(machine.output())
        .containsPattern("root +7 +1 +\\d\\d:\\d\\d +\\? +01:01:01 +sh\\\\n-c");
  }

  @Test
  void eventsAreFilteredAndEscaped() {
    node.events.add(
        new NodeEvent(FakeNode.LONG_AGO, "/tasks/start", "i\u001bd", Map.of("pid", "7")));
    node.events.add(new NodeEvent(FakeNode.LONG_AGO, "/images/create", "x", Map.of()));

    machine.run("events", "-f", "topic=/tasks/", "-f", "container=web");

    assertThat(machine.output()).isEqualTo("2020-01-01T00:00:00Z /tasks/start i\\x1bd pid=7\n");
    assertThat(node.calls).containsExactly("events web");
  }

  @Test
  void inspectAnswersWithDockersNames() {
    node.containers.add(FakeNode.container("web", ContainerState.PAUSED, "sleep", "1"));

    machine.run("inspect", "-f", "{{.State.Pid}} {{.State.Status}} {{json .Args}}", "web");

    assertThat(machine.output()).isEqualTo("4711 paused [\"1\"]\n");
  }

  @Test
  void inspectOfWhatIsNotThereFails() {
    assertThat(machine.run("inspect", "nothing")).isEqualTo(1);
    assertThat(machine.output()).isEqualTo("[ ]\n");
    assertThat(machine.errors()).contains("there is no such container or image");
  }

  @Test
  void theNodeIsDescribedAndChecked() {
    assertThat(machine.run("system", "info")).isZero();
    assertThat(machine.run("system", "check")).isEqualTo(1);
    assertThat(machine.output())
        .contains("Containers:      3 (1 running)\n", "Note:            odd\\x1b[1m\n")
        .contains("missing  swap: not accounted\n         boot with it\n");
  }

  @Test
  void theVersionStartsNoDaemon() {
    machine.running = false;

    assertThat(machine.run("version")).isZero();
    assertThat(machine.run("--version")).isZero();

    assertThat(machine.connected).isFalse();
    assertThat(machine.output()).contains("Daemon:  not running");
  }

  @Test
  void theVersionTellsThatOfADaemonThatRuns() {
    machine.run("--root", "/r", "version", "--format", "{{.Server.Version}}");

    assertThat(machine.output()).isEqualTo("7.7\n");
    assertThat(machine.root).contains("/r");
  }

  @Test
  void pruneAsksFirst() {
    node.containers.add(FakeNode.container("old", ContainerState.EXITED, "x"));

    machine.run("container", "prune");
    assertThat(node.calls).isEmpty();

    machine.input = new ByteArrayInputStream("y\n".getBytes(StandardCharsets.UTF_8));
    machine.run("container", "prune");
    assertThat(node.calls).contains("remove " + FakeNode.ID + " false");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"nonsense", "container nonsense", "ps x", "rm", "ps --nonsense", "logs -n"})
  void whatIsNotUnderstoodIsExplained(String line) {
    assertThat(machine.run(line.split(" "))).isEqualTo(125);
    assertThat(machine.errors()).startsWith("caisson: ").contains("--help'");
    assertThat(machine.connected).isFalse();
  }

  @Test
  void everyCommandHasHelp() {
    for (var name : Commands.TOP) {
      assertThat(machine.run(name, "--help")).as(name).isZero();
    }
    for (var group : Commands.GROUPS) {
      for (var name : Commands.names(group)) {
        assertThat(machine.run(group, name, "--help")).as(name).isZero();
      }
    }
    assertThat(machine.run()).isZero();
    assertThat(machine.run("help", "run")).isZero();
    assertThat(machine.run("help", "image")).isZero();
    assertThat(machine.output()).contains("Usage: caisson run [OPTIONS] IMAGE", "--memory-swap");
    assertThat(machine.errors()).isEmpty();
  }

  @Test
  void theCompletionKnowsCommandsAndOptions() {
    machine.run("completion", "bash");

    assertThat(machine.output()).contains("--memory-swap", "unpause", "complete -F");
  }

  @Test
  void aReaderThatWentAwayEndsUsQuietly() {
    machine.printTo(
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("Broken pipe");
          }
        });
    node.containers.add(FakeNode.container("web", ContainerState.RUNNING, "x"));

    assertThat(machine.run("ps")).isEqualTo(141);
    assertThat(machine.errors()).isEmpty();
  }
}
