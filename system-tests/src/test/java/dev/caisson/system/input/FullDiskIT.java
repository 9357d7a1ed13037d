package dev.caisson.system.input;

import static dev.caisson.system.TestNode.BUSYBOX;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.library.ContainerState;
import dev.caisson.library.LogSettings;
import dev.caisson.system.Leftovers;
import dev.caisson.system.MountedFileSystem;
import dev.caisson.system.Ran;
import dev.caisson.system.TestNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A state root whose file system is full, or has become read-only: what cannot be done is refused
 * with that reason, what runs goes on and can be ended, and with room all is well again.
 */
@Tag("root")
class FullDiskIT {
  private static final String FULL = "No space left on device";

  @TempDir private Path folder;

  private MountedFileSystem disk;
  private TestNode node;
  private Leftovers leftovers;
  private String running;
  private Path archive;

  @BeforeEach
  void open() throws Exception {
    archive = folder.resolve("image.tar");
    disk = MountedFileSystem.tmpfs(Files.createDirectory(folder.resolve("disk")), "size=48m");
    node = TestNode.openIn(Files.createDirectory(disk.directory().resolve("root")));
    node.run("true");
    assertThat(node.cli("save", "-o", archive.toString(), BUSYBOX).status()).isZero();
    assertThat(node.cli("load", "-i", archive.toString()).status()).isZero();
    running = node.start("while :; do echo line; sleep 0.01; done");
    node.exec(running, "true");
    leftovers = Leftovers.before(node);
  }

  @AfterEach
  void close() throws Exception {
    try {
      node.close();
    } finally {
      disk.close();
    }
  }

  @Test
  void aContainerIsNotMadeOnAFullDiskAndNothingIsLeftOfIt() throws Exception {
    var fill = disk.fill();

    assertRefused(node.cli("create", BUSYBOX, "true"), 125, FULL);
    assertRefused(node.cli("run", "--rm", BUSYBOX, "true"), 125, FULL);
    assertRefused(node.cli("exec", running, "true"), 125, FULL);
    assertRefused(node.cli("tag", BUSYBOX, "example.org/other:1"), 1, FULL);

    Files.delete(fill);
    assertThat(node.containers().list()).hasSize(1);
    assertThat(node.cli("images", "-q").out().lines()).hasSize(1);
    assertThat(node.run("echo room").stdout()).isEqualTo("room\n");
    leftovers.assertNone();
  }

  @Test
  void anImageIsNotLoadedOntoAFullDiskAndNothingIsLeftOfIt() throws Exception {
    var big = Files.createDirectory(folder.resolve("big"));
    Files.write(big.resolve("data"), new byte[64 << 20]);
    var layered = TestImages.archiveOf(folder, big);

    assertRefused(node.cli("load", "-i", layered.toString()), 1, FULL);
    leftovers.assertNone();

    var fill = disk.fill();
    assertRefused(node.cli("load", "-i", layered.toString()), 1, FULL);
    Files.delete(fill);
    leftovers.assertNone();
    assertThat(node.cli("load", "-i", archive.toString()).status()).isZero();
  }

  @Test
  void whatRunsGoesOnWithoutItsLogAndCanBeEndedAndRemoved() throws Exception {
    var fill = disk.fill();
    var pid = node.containers().inspect(running).pid();

    assertThat(stateOf(running)).isEqualTo(ContainerState.RUNNING);
    node.containers().stop(running, Optional.of(Duration.ofMillis(100)));
    assertThat(Path.of("/proc/" + pid)).doesNotExist();
    assertThat(stateOf(running)).isEqualTo(ContainerState.EXITED);
    assertThat(node.containers().await(running).code()).isEqualTo(137);
    node.containers().remove(running, false);

    Files.delete(fill);
    assertThat(node.containers().list()).isEmpty();
    leftovers.assertNone();
  }

  @Test
  void theLogGoesOnWhenThereIsRoomAgain() throws Exception {
    var fill = disk.fill();
    var before = logEnd();
    Files.delete(fill);

    var deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (logEnd().equals(before) && System.nanoTime() < deadline) {
      Thread.onSpinWait();
    }
    assertThat(logEnd()).isNotEqualTo(before).contains("line");
  }

  @Test
  void aReadOnlyStoreIsToldAndWhatRunsCanBeEnded() throws Exception {
    // A file system with files open for writing cannot become read-only.
    node.containers().remove(running, true);
    try (var _ = ReadOnlyTree.of(node.directory().resolve("containers"));
        var _ = ReadOnlyTree.of(node.directory().resolve("content"));
        var _ = ReadOnlyTree.of(node.directory().resolve("images"))) {

      assertRefused(node.cli("run", "--rm", BUSYBOX, "true"), 125, "Read-only file system");
      assertRefused(node.cli("load", "-i", archive.toString()), 1, "Read-only file system");
      assertRefused(node.cli("tag", BUSYBOX, "example.org/other:1"), 1, "Read-only file system");
      assertThat(node.cli("images").status()).isZero();
      assertThat(node.cli("ps", "-a").status()).isZero();
    }
    assertThat(node.run("echo room").stdout()).isEqualTo("room\n");
    leftovers.assertNone();
  }

  private String logEnd() {
    try (var log = node.containers().logs(running, LogSettings.ALL)) {
      var end = "";
      for (var entry = log.next(); entry.isPresent(); entry = log.next()) {
        end = entry.get().at() + " " + new String(entry.get().bytes(), StandardCharsets.UTF_8);
      }
      return end;
    }
  }

  private ContainerState stateOf(String id) {
    return node.containers().inspect(id).summary().state();
  }

  private static void assertRefused(Ran ran, int code, String reason) {
    assertThat(ran.status()).as(ran.err()).isEqualTo(code);
    assertThat(ran.err()).startsWith("caisson: ").contains(reason);
    assertThat(ran.err()).doesNotContain("Exception", "defect");
  }
}
