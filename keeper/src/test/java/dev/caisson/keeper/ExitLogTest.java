package dev.caisson.keeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.linux.ProcessIdentity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExitLogTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00.123456789Z");

  private static ExitRecord exit(int pid) {
    return new ExitRecord(new ProcessIdentity(pid, 1_000L + pid), pid << 8, NOON);
  }

  @Test
  void exitsAreReadAsTheyWereWritten(@TempDir Path dir) throws Exception {
    try (var log = ExitLog.open(dir, 10)) {
      log.add(exit(1));
      log.add(exit(2));
    }
    try (var log = ExitLog.open(dir, 10)) {
      log.add(exit(3));
    }

    assertThat(ExitLog.read(dir)).containsExactly(exit(1), exit(2), exit(3));
  }

  @Test
  void aFullLogKeepsTheNewerHalf(@TempDir Path dir) throws Exception {
    try (var log = ExitLog.open(dir, 4)) {
      for (int pid = 1; pid <= 7; pid++) {
        log.add(exit(pid));
      }
    }

    assertThat(ExitLog.read(dir)).containsExactly(exit(5), exit(6), exit(7));
    assertThat(dir.resolve("exits.log")).hasSize(3L * ExitRecord.SIZE);
  }

  @Test
  void exitsAfterATornOneAreReadAllTheSame(@TempDir Path dir) throws Exception {
    try (var log = ExitLog.open(dir, 10)) {
      log.add(exit(1));
    }
    Files.write(dir.resolve("exits.log"), new byte[13], StandardOpenOption.APPEND);

    assertThat(ExitLog.read(dir)).containsExactly(exit(1));
    try (var log = ExitLog.open(dir, 10)) {
      log.add(exit(2));
    }
    assertThat(ExitLog.read(dir)).containsExactly(exit(1), exit(2));
  }

  @Test
  void noLogIsNoExits(@TempDir Path dir) throws Exception {
    assertThat(ExitLog.read(dir)).isEmpty();
  }
}
