package dev.caisson.system.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.library.Caisson;
import dev.caisson.library.CaissonException;
import dev.caisson.library.Reason;
import dev.caisson.system.Installed;
import dev.caisson.system.MountedFileSystem;
import dev.caisson.system.Ran;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A daemon that cannot start: the reason is told at once, and nothing goes on trying. */
@Tag("root")
class StartFailureIT {
  @TempDir private Path directory;

  @Test
  void theReasonIsToldAndNothingGoesOnTrying() throws Exception {
    Files.writeString(directory.resolve("containers"), "a file where a directory belongs");

    assertThatThrownBy(() -> Caisson.openPrivate(directory))
        .isInstanceOfSatisfying(
            CaissonException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE))
        .hasMessageContaining("it ended with 1")
        .hasMessageContaining(directory.resolve("containers").toString());
    assertNoProcess(directory);
  }

  @Test
  void aRootThatIsAFileIsNamed() throws Exception {
    var file = Files.writeString(directory.resolve("file"), "text");

    assertCannotStart(file, "'" + file + "' is a file");
    assertCannotStart(file.resolve("below"), file.toString());
    assertThat(file).hasContent("text");
  }

  @Test
  void aRootWhereNothingCanBeMadeIsNamed() throws Exception {
    assertCannotStart(Path.of("/proc/caisson"), "/proc/caisson");
  }

  @Test
  void aRootOnAReadOnlyFileSystemIsNamed() throws Exception {
    try (var _ = MountedFileSystem.tmpfs(directory, "size=1m,ro")) {
      assertCannotStart(directory, "Read-only file system");
    }
  }

  @Test
  void aSocketsPlaceThatIsTakenIsNamed() throws Exception {
    var socket = directory.resolve("run/caisson.sock");
    Files.createDirectories(socket.resolve("something"));

    assertCannotStart(directory, socket.toString());
    assertThat(socket.resolve("something")).isDirectory();
  }

  @Test
  void aRootLongerThanASocketsAddressWorksAllTheSame() throws Exception {
    var deep = directory.resolve("x".repeat(150));

    try (var node = Caisson.openPrivate(deep)) {
      assertThat(node.containers().list()).isEmpty();
      assertThat(node.info().runRoot()).hasSizeLessThan(100);
    }
    assertNoProcess(deep);
  }

  @Test
  void anEmptyRootIsRefusedInsteadOfTheWorkingDirectoryBeingTaken() throws Exception {
    var ran = caisson("--root", "", "ps");

    assertThat(ran.status()).isEqualTo(125);
    assertThat(ran.err()).contains("--root", "empty");
  }

  private static void assertCannotStart(Path root, String named) throws Exception {
    var ran = caisson("--root", root.toString(), "ps");

    assertThat(ran.status()).as(ran.err()).isEqualTo(1);
    assertThat(ran.err()).startsWith("caisson: start the daemon of " + root).contains(named);
    assertThat(ran.err().lines()).hasSize(2);
    assertNoProcess(root);
  }

  private static Ran caisson(String... arguments) throws Exception {
    return Ran.of(
        Map.of("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"),
        Stream.concat(Stream.of(Installed.program("caisson").toString()), Stream.of(arguments))
            .toList());
  }

  /** The keeper may still be ending; it does not go on for longer than the daemon's farewell. */
  private static void assertNoProcess(Path root) throws Exception {
    var processes =
        ProcessHandle.allProcesses()
            .filter(
                process -> process.info().commandLine().orElse("").contains("--root " + root + " "))
            .toList();
    for (var process : processes) {
      process.onExit().get(20, TimeUnit.SECONDS);
    }
  }
}
