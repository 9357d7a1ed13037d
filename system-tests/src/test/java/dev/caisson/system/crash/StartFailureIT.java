package dev.caisson.system.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.library.Caisson;
import dev.caisson.library.CaissonException;
import dev.caisson.library.Reason;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A daemon that cannot start. */
@Tag("root")
class StartFailureIT {

  @Test
  void theReasonIsToldAndNothingGoesOnTrying(@TempDir Path directory) throws Exception {
    Files.writeString(directory.resolve("containers"), "a file where a directory belongs");

    assertThatThrownBy(() -> Caisson.openPrivate(directory))
        .isInstanceOfSatisfying(
            CaissonException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE))
        .hasMessageContaining("it ended with 1")
        .hasMessageContaining(directory.resolve("containers").toString());
    assertThat(ProcessHandle.allProcesses().map(ProcessHandle::info))
        .noneMatch(info -> info.commandLine().orElse("").contains(directory.toString()));
  }
}
