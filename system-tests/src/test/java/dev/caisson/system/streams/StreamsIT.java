package dev.caisson.system.streams;

import static dev.caisson.system.TestNode.BUSYBOX;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.library.AttachSettings;
import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.MountSettings;
import dev.caisson.library.StreamCutException;
import dev.caisson.system.Installed;
import dev.caisson.system.Ran;
import dev.caisson.system.TestNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Output of containers on its way to those who read it. */
@Tag("root")
@Timeout(180)
class StreamsIT {
  private static final String CAISSON = Installed.program("caisson").toString();

  private TestNode node;
  private Path flags;
  private final List<Process> started = new ArrayList<>();

  @BeforeEach
  void open() throws IOException {
    node = TestNode.open();
    flags = Files.createDirectory(node.directory().resolve("flags"));
  }

  @AfterEach
  void close() {
    started.forEach(Process::destroyForcibly);
    node.close();
  }

  private Map<String, String> environment() {
    var environment = new HashMap<>(System.getenv());
    environment.put("CAISSON_ROOT", node.directory().toString());
    return environment;
  }

  private Process caisson(String... words) throws IOException {
    var command = new ArrayList<>(List.of(CAISSON));
    command.addAll(List.of(words));
    var builder = new ProcessBuilder(command);
    builder.environment().putAll(environment());
    var process = builder.start();
    started.add(process);
    return process;
  }

  private static void awaitFile(Path file) throws InterruptedException {
    while (!Files.exists(file)) {
      // A file has no event worth more here; the test's time limit bounds this.
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  private static String text(InputStream in) throws IOException {
    return new String(in.readAllBytes(), StandardCharsets.UTF_8);
  }

  private ContainerSettings withFlags(String script) {
    return ContainerSettings.of(BUSYBOX, "sh", "-c", script)
        .withMounts(List.of(MountSettings.bind(flags.toString(), "/flags")));
  }

  @Tag("case-52")
  @Test
  void allOutputComesThroughAPipeByteForByte() throws Exception {
    var id = node.start("sleep 1000");
    var expected = Ran.of(environment(), List.of("sh", "-c", "seq 1 2000000 | cksum")).out();

    for (var command :
        List.of("run --rm " + BUSYBOX, "run --rm --log-driver none " + BUSYBOX, "exec " + id)) {
      var ran =
          Ran.of(
              environment(),
              List.of("sh", "-c", CAISSON + " " + command + " seq 1 2000000 | cksum"));

      assertThat(ran.out()).isEqualTo(expected);
      assertThat(ran.err()).isEmpty();
    }
  }

  @Tag("case-52")
  @Test
  void standardErrorHasAPipeOfItsOwn() throws Exception {
    var process = caisson("run", "--rm", BUSYBOX, "sh", "-c", "echo out; echo error >&2");

    assertThat(text(process.getInputStream())).isEqualTo("out\n");
    assertThat(text(process.getErrorStream())).isEqualTo("error\n");
    assertThat(process.waitFor()).isZero();
  }

  @Tag("case-54")
  @Test
  void aPipeGoesOnThroughDeathsOfTheDaemon() throws Exception {
    var script =
        "i=0; while [ ! -e /flags/stop ]; do i=$((i+1)); echo $i; [ $((i%50)) = 0 ] && sleep 0.01;"
            + " done; exit 0";
    var process = caisson("run", "--rm", "-v", flags + ":/flags", BUSYBOX, "sh", "-c", script);
    try (var lines = process.inputReader()) {
      assertThat(lines.readLine()).isEqualTo("1");
      int number = 1;
      for (int i = 0; i < 5; i++) {
        killDaemon();
        for (int line = 0; line < 1000; line++) {
          assertThat(lines.readLine()).isEqualTo(Integer.toString(++number));
        }
      }
      Files.createFile(flags.resolve("stop"));
      for (String line; (line = lines.readLine()) != null; ) {
        assertThat(line).isEqualTo(Integer.toString(++number));
      }
    }
    assertThat(process.waitFor()).isZero();
  }

  private void killDaemon() throws InterruptedException {
    int pid = node.daemonPid();
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    for (; ; ) {
      try {
        if (node.daemonPid() != pid) {
          return;
        }
      } catch (CaissonException e) {
        assertThat(e.getMessage()).isNotEmpty();
      }
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  @Tag("case-54")
  @Test
  void oneWhoCameLaterIsThereAgainAfterTheDaemonsDeathAndToldSo() throws Exception {
    var id = node.start("i=0; while :; do i=$((i+1)); echo $i; sleep 0.02; done");
    var command = caisson("attach", id);
    try (var lines = command.inputReader()) {
      int last = Integer.parseInt(lines.readLine());
      for (int kill = 0; kill < 3; kill++) {
        killDaemon();
        for (int i = 0; i < 20; i++) {
          int next = Integer.parseInt(lines.readLine());
          assertThat(next).isGreaterThan(last);
          last = next;
        }
      }
      command.toHandle().destroyForcibly();

      assertThat(text(command.getErrorStream()))
          .contains("warning: stdout: the daemon was replaced; what came meanwhile is in the log");
    }
  }

  @Test
  void whenNobodyReadsThePipeTheCommandEndsAndTheContainerGoesOn() throws Exception {
    var ran =
        Ran.of(
            environment(),
            List.of(
                "sh",
                "-c",
                "("
                    + CAISSON
                    + " run --name kept "
                    + BUSYBOX
                    + " sh -c 'while echo y; do sleep 0.01; done'; echo $? >&2) | head -n 1"));

    assertThat(ran.out()).isEqualTo("y\n");
    assertThat(ran.err()).isEqualTo("141\n");
    assertThat(node.containers().inspect("kept").pid()).isPositive();
  }

  @Tag("case-54")
  @Test
  void oneWhoCameLaterAndDoesNotReadIsCutOffAndTold() throws Exception {
    var id =
        node.start(
            withFlags(
                "until [ -e /flags/go ]; do sleep 0.01; done; head -c 30000000 /dev/zero;"
                    + " touch /flags/done; exec sleep 1000"));
    try (var slow = node.containers().attach(id, AttachSettings.OUTPUT)) {
      Files.createFile(flags.resolve("go"));
      awaitFile(flags.resolve("done"));

      assertThat(bytesUntilCut(slow.stdout())).isLessThan(30_000_000);
    }
  }

  private static int bytesUntilCut(InputStream in) throws IOException {
    var buffer = new byte[64 << 10];
    int count = 0;
    try {
      for (int got; (got = in.read(buffer)) >= 0; ) {
        count += got;
      }
      throw new AssertionError("not told after " + count + " bytes");
    } catch (StreamCutException e) {
      assertThat(e.why()).isEqualTo(StreamCutException.Cause.TOO_SLOW);
      assertThat(e).hasMessageContaining("cut off");
      return count;
    }
  }
}
