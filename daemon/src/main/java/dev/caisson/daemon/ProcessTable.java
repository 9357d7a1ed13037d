package dev.caisson.daemon;

import dev.caisson.library.ProcessEntry;
import dev.caisson.linux.ProcessStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Processes as {@code top} shows them. */
final class ProcessTable {
  private static final long NANOS_PER_TICK = 1_000_000_000L / ProcessStatus.TICKS_PER_SECOND;
  private static final int FIRST_PTS_MAJOR = 136;
  private static final int LAST_PTS_MAJOR = 143;

  private ProcessTable() {}

  /** A process; empty when it ended meanwhile. */
  static Optional<ProcessEntry> entry(int pid, Optional<String> exec) {
    return ProcessStatus.read(pid)
        .flatMap(status -> {
          try {
            return Optional.of(
                new ProcessEntry(
                    pid,
                    status.parent(),
                    user(pid),
                    bootTime().plusNanos(status.startTime() * NANOS_PER_TICK),
                    Duration.ofNanos((status.userTicks() + status.systemTicks()) * NANOS_PER_TICK),
                    terminal(status.terminal()),
                    command(pid, status),
                    exec));
          } catch (IOException e) {
            return Optional.empty();
          }
        });
  }

  private static Instant bootTime() throws IOException {
    for (var line : Files.readAllLines(Path.of("/proc/stat"))) {
      if (line.startsWith("btime ")) {
        return Instant.ofEpochSecond(Long.parseLong(line.substring(6).strip()));
      }
    }
    return Instant.EPOCH;
  }

  private static String user(int pid) throws IOException {
    for (var line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
      if (line.startsWith("Uid:")) {
        return line.split("\\s+")[2];
      }
    }
    return "?";
  }

  private static String terminal(int device) {
    int major = device >> 8 & 0xfff;
    int minor = device & 0xff | device >> 12 & 0xfff00;
    return major >= FIRST_PTS_MAJOR && major <= LAST_PTS_MAJOR ? "pts/" + minor : "?";
  }

  private static String command(int pid, ProcessStatus status) throws IOException {
    var line =
        new String(
            Files.readAllBytes(Path.of("/proc/" + pid + "/cmdline")), StandardCharsets.UTF_8);
    return line.isEmpty() ? "[" + status.name() + "]" : line.replace('\0', ' ').strip();
  }
}
