package dev.caisson.engine.streams;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class LogReaderTest {
  private static final Instant AT = Instant.parse("2016-10-06T00:17:09.669794202Z");

  @TempDir Path directory;

  private LogWriter writer(long maxBytes, int maxFiles) throws Exception {
    return LogWriter.open(
        new StreamPlan.LogPlan(directory.resolve("log"), maxBytes, maxFiles), new LogPage());
  }

  private static void append(LogWriter writer, String text, boolean error) throws Exception {
    var bytes = text.getBytes(StandardCharsets.UTF_8);
    writer.rotateIfFull();
    writer.append(Arena.ofAuto().allocateFrom(JAVA_BYTE, bytes), error, AT);
  }

  private List<String> read() throws Exception {
    try (var reader = LogReader.open(directory.resolve("log"), () -> false)) {
      return rest(reader);
    }
  }

  private static List<String> rest(LogReader reader) throws Exception {
    var all = new ArrayList<String>();
    for (Optional<LogReader.Entry> entry; (entry = reader.next()).isPresent(); ) {
      all.add(new String(entry.get().bytes(), StandardCharsets.UTF_8));
    }
    return all;
  }

  @Test
  void linesStandInTheKubernetesFormat() throws Exception {
    try (var writer = writer(1 << 20, 2)) {
      append(writer, "hello\n\npart", false);
      append(writer, " of it\n", true);
    }

    assertThat(Files.readString(directory.resolve("log")))
        .isEqualTo(
            """
            2016-10-06T00:17:09.669794202Z stdout F hello
            2016-10-06T00:17:09.669794202Z stdout F\s
            2016-10-06T00:17:09.669794202Z stdout P part
            2016-10-06T00:17:09.669794202Z stderr F  of it
            """);
    assertThat(read()).containsExactly("hello\n", "\n", "part", " of it\n");
  }

  @Test
  void onlyTheAskedNumberOfFilesIsKept() throws Exception {
    try (var writer = writer(1, 3)) {
      for (int i = 0; i < 5; i++) {
        append(writer, i + "\n", false);
      }
    }

    assertThat(read()).containsExactly("2\n", "3\n", "4\n");
    try (var files = Files.list(directory)) {
      assertThat(files).hasSize(3);
    }
  }

  @Test
  void aReaderThatFallsBehindReadsRotatedFilesInOrder() throws Exception {
    try (var writer = writer(1, 10)) {
      append(writer, "0\n", false);
      var more = new AtomicBoolean(true);
      try (var reader = LogReader.open(directory.resolve("log"), more::get)) {
        assertThat(reader.next()).isPresent();
        for (int i = 1; i < 5; i++) {
          append(writer, i + "\n", false);
        }
        more.set(false);

        assertThat(rest(reader)).containsExactly("1\n", "2\n", "3\n", "4\n");
      }
    }
  }

  @Test
  void aLogOfOneFileIsFollowedWhenItBeginsAnew() throws Exception {
    try (var writer = writer(100, 1)) {
      append(
          writer, "a long first line, so that the second file is shorter".repeat(3) + "\n", true);
      try (var reader = LogReader.open(directory.resolve("log"), () -> false)) {
        assertThat(reader.next()).isPresent();
        append(writer, "short\n", true);

        assertThat(rest(reader)).containsExactly("short\n");
      }
    }
  }

  @Test
  void aFollowedLogLosesNoLineWhileItIsRotated() throws Exception {
    int lines = 20_000;
    var writing = new AtomicBoolean(true);
    try (var writer = writer(8 << 10, 1000)) {
      append(writer, "0\n", false);
      var read = new CompletableFuture<List<String>>();
      Thread.ofPlatform()
          .daemon()
          .start(() -> {
            try (var reader = LogReader.open(directory.resolve("log"), writing::get)) {
              read.complete(rest(reader));
            } catch (Exception e) {
              read.completeExceptionally(e);
            }
          });
      var expected = new ArrayList<>(List.of("0\n"));
      for (int i = 1; i < lines; i++) {
        append(writer, i + "\n", false);
        expected.add(i + "\n");
      }
      writing.set(false);

      assertThat(read.get(30, TimeUnit.SECONDS)).isEqualTo(expected);
    }
  }
}
