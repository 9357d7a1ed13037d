package dev.caisson.system.crash;

import static dev.caisson.system.TestNode.BUSYBOX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.ContainerState;
import dev.caisson.library.ContainerSummary;
import dev.caisson.system.Leftovers;
import dev.caisson.system.TestNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Files of the daemon that something has cut off, emptied or overwritten while it was dead. The
 * next one starts, says so, and looks after everything else as before.
 */
@Tag("root")
class DamagedStateIT {
  private TestNode node;
  private String bystander;
  private String victim = "";

  /** What can become of a file. */
  enum Damage {
    CUT_OFF {
      @Override
      byte[] of(byte[] whole) {
        return Arrays.copyOf(whole, whole.length / 2);
      }
    },
    EMPTY {
      @Override
      byte[] of(byte[] whole) {
        return new byte[0];
      }
    },
    OVERWRITTEN {
      @Override
      byte[] of(byte[] whole) {
        var garbage = new byte[whole.length];
        new Random(whole.length).nextBytes(garbage);
        return garbage;
      }
    };

    abstract byte[] of(byte[] whole);
  }

  @BeforeEach
  void open() {
    node = TestNode.open();
    node.run("true");
    bystander = node.start("sleep 1000");
    node.exec(bystander, "true");
  }

  @AfterEach
  void close() {
    node.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "containers/VICTIM/container.json",
        "images/names.json",
        "run/exits.log",
        "run/tasks/VICTIM/task.json",
        "run/tasks/VICTIM/journal",
        "run/bundles/VICTIM/config.json",
        "run/departed/GONE"
      })
  void theOthersGoOnAndTheVictimCanBeRemoved(String file) throws Exception {
    for (var damage : Damage.values()) {
      var before = Leftovers.before(node);
      victim = node.start("sleep 1000");
      damage(file, damage);

      killDaemon();

      assertThat(stateOf(bystander)).isEqualTo(ContainerState.RUNNING);
      assertThat(node.exec(bystander, "echo", "here").stdout()).isEqualTo("here\n");
      assertThat(node.run("echo new").stdout()).isEqualTo("new\n");
      assertThat(node.containers().list()).extracting(ContainerSummary::id).contains(victim);
      node.containers().remove(victim, true);
      Files.deleteIfExists(node.directory().resolve("images/names.json.damaged"));
      before.assertNone();
    }
  }

  @Test
  void aContainerWhoseRecordIsLostGoesOnAndIsReported() throws Exception {
    victim = node.start("sleep 1000");
    var pid = node.containers().inspect(victim).pid();
    damage("containers/VICTIM/container.json", Damage.CUT_OFF);

    killDaemon();

    assertThat(Path.of("/proc/" + pid)).exists();
    assertThat(stateOf(victim)).isEqualTo(ContainerState.RUNNING);
    assertThat(node.caisson().info().notes())
        .anyMatch(note -> note.contains(victim) && note.contains("cannot be read"));
    assertThat(node.containers().inspect(victim).warnings())
        .anyMatch(warning -> warning.contains("cannot be read"));
    assertThatThrownBy(() -> node.caisson().images().prune(true))
        .isInstanceOf(CaissonException.class)
        .hasMessageContaining("find the layers of container");
    node.containers().stop(victim, Optional.of(Duration.ofMillis(100)));
    assertThatThrownBy(() -> node.containers().start(victim))
        .isInstanceOf(CaissonException.class)
        .hasMessageContaining("cannot be read");
  }

  @Test
  void namesOfImagesThatAreLostAreReportedAndKeptAside() throws Exception {
    node.caisson().images().tag(BUSYBOX, "example.org/box:1");
    damage("images/names.json", Damage.CUT_OFF);

    killDaemon();

    assertThat(node.caisson().images().list()).isEmpty();
    assertThat(node.caisson().info().notes()).anyMatch(note -> note.contains("names.json.damaged"));
    assertThat(node.directory().resolve("images/names.json.damaged")).exists();
    node.caisson().images().tag(BUSYBOX, "example.org/box:1");
    assertThat(node.run(ContainerSettings.of("example.org/box:1", "echo", "ok")).stdout())
        .isEqualTo("ok\n");
  }

  @Test
  void anImageWhoseContentIsLostDoesNotHideTheOthersAndCanBeReplaced() throws Exception {
    node.caisson().images().tag(BUSYBOX, "example.org/box:1");
    for (var blob : children(node.directory().resolve("content/sha256"))) {
      Files.write(blob, new byte[] {'{'});
    }

    assertThat(node.caisson().images().list()).isEmpty();
    assertThatThrownBy(
            () -> node.containers().create(ContainerSettings.of("example.org/box:1", "true")))
        .hasMessageContaining("it is damaged");
    assertThat(node.caisson().images().remove("example.org/box:1", false)).isNotEmpty();
    assertThat(node.run("echo made again").stdout()).isEqualTo("made again\n");
    assertThat(node.caisson().images().list()).hasSize(1);
  }

  @Test
  void whatACrashLeftOfAContainerInTheMakingIsRemoved() throws Exception {
    var before = Leftovers.before(node);
    var unfinished = "f".repeat(64);
    Files.createDirectories(
        node.directory().resolve("containers/" + unfinished + "/changes/upper"));
    Files.createDirectories(node.directory().resolve("run/rootfs/" + unfinished));
    Files.createFile(node.directory().resolve("containers/" + unfinished + "/container.json.new"));

    killDaemon();

    assertThat(node.containers().list()).hasSize(1);
    before.assertNone();
  }

  private void damage(String file, Damage damage) throws IOException {
    var path = node.directory().resolve(file.replace("VICTIM", victim));
    if (file.endsWith("GONE")) {
      path = children(path.getParent()).getFirst();
    }
    Files.write(path, damage.of(Files.readAllBytes(path)));
  }

  private static List<Path> children(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      return files.toList();
    }
  }

  private ContainerState stateOf(String id) {
    return node.containers().inspect(id).summary().state();
  }

  private void killDaemon() throws Exception {
    var old = ProcessHandle.of(node.daemonPid()).orElseThrow();
    old.destroyForcibly();
    old.onExit().get(30, TimeUnit.SECONDS);
    assertThat(node.daemonPid()).isNotEqualTo(old.pid());
  }
}
