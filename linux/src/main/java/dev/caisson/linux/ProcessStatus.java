package dev.caisson.linux;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What {@code /proc/<pid>/stat} tells. Source: proc_pid_stat(5).
 *
 * @param pid its number
 * @param name first 15 bytes of the program's name
 * @param state one letter: R, S, D, T, t, Z, X, I
 * @param parent pid of its parent
 * @param session its session
 * @param terminal device number of its terminal; 0 without
 * @param userTicks processor time in user mode, in clock ticks (100 a second)
 * @param systemTicks processor time in the kernel
 * @param startTime ticks from boot to its start
 */
public record ProcessStatus(
    int pid,
    String name,
    char state,
    int parent,
    int session,
    int terminal,
    long userTicks,
    long systemTicks,
    long startTime) {

  /**
   * Clock ticks a second in /proc; fixed by the kernel's interface on all architectures of ours.
   */
  public static final int TICKS_PER_SECOND = 100;

  /** Reads it; empty when there is no such process. */
  public static Optional<ProcessStatus> read(int pid) {
    try {
      var text =
          new String(
              Files.readAllBytes(Path.of("/proc", Integer.toString(pid), "stat")),
              StandardCharsets.ISO_8859_1);
      return Optional.of(parse(text));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Parses the file's text; the name may itself hold blanks and parentheses. */
  static ProcessStatus parse(String text) {
    int open = text.indexOf('(');
    int close = text.lastIndexOf(')');
    var fields = text.substring(close + 2).split(" ");
    return new ProcessStatus(
        Integer.parseInt(text.substring(0, open - 1)),
        text.substring(open + 1, close),
        fields[0].charAt(0),
        Integer.parseInt(fields[1]),
        Integer.parseInt(fields[3]),
        Integer.parseInt(fields[4]),
        Long.parseLong(fields[11]),
        Long.parseLong(fields[12]),
        Long.parseLong(fields[19]));
  }

  /** Whether it has ended and only waits to be reaped. */
  public boolean hasEnded() {
    return state == 'Z' || state == 'X';
  }
}
