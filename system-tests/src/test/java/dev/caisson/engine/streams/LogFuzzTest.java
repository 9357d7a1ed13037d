package dev.caisson.engine.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.fuzz.Fuzzing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logs of containers and the journals of their spools, whatever is in them. */
@Tag("fuzz")
class LogFuzzTest {
  @Test
  void logs(@TempDir Path directory) {
    Fuzzing.ofTexts(
            "logs",
            """
            2026-01-01T00:00:00.000000001Z stdout F one
            2026-01-01T00:00:01.000000000Z stderr P two
            2026-01-01T00:00:02.000000000Z stderr F three
            """)
        .run(input -> {
          var log = directory.resolve("log");
          Files.write(log, input);
          try (var reader = LogReader.open(log, () -> false)) {
            while (reader.next().isPresent()) {
              // Only read.
            }
          }
        });
  }

  @Test
  void whatFollowsADamagedLineIsRead(@TempDir Path directory) throws IOException {
    var log = directory.resolve("log");
    Files.writeString(
        log,
        """
        garbage
        \0\0\0002026-01-01T00:00:00.000000001Z stdout F one
        2026-13-01T00:00:00.000000001Z stdout F never
        2026-01-01T00:00:00.000000002Z stdout F two
        """);

    var texts = new ArrayList<String>();
    try (var reader = LogReader.open(log, () -> false)) {
      for (var entry = reader.next(); entry.isPresent(); entry = reader.next()) {
        texts.add(Fuzzing.text(entry.get().bytes()));
      }
    }

    assertThat(texts).containsExactly("one\n", "two\n");
  }

  @Test
  void journals(@TempDir Path directory) {
    Fuzzing.of("journals", List.of(new byte[24], new byte[] {1, 2, 3}))
        .refusedBy(IOException.class)
        .run(input -> {
          var file = directory.resolve("journal");
          Files.write(file, input);
          try (var journal = Journal.open(file)) {
            journal.read(false);
            journal.read(true);
          }
        });
  }
}
