package dev.caisson.linux;

import java.util.Locale;
import java.util.Map;

/**
 * A signal, by its number on Linux (x86-64 and arm64 have the same). Source: signal(7).
 *
 * @param number 1 to 64
 */
public record Signal(int number) {
  /** Ask to end because the terminal is gone. */
  public static final Signal HUP = new Signal(1);

  /** Ask to end from the keyboard. */
  public static final Signal INT = new Signal(2);

  /** End at once; cannot be caught. */
  public static final Signal KILL = new Signal(9);

  /** Ask to end. */
  public static final Signal TERM = new Signal(15);

  /** Go on after a stop. */
  public static final Signal CONT = new Signal(18);

  private static final int LAST = 64;

  /** First real-time signal as the C library counts: it keeps 32 and 33 for itself. */
  private static final int REALTIME_FIRST = 34;

  private static final String[] NAMES = {
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
    "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU",
    "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS"
  };

  private static final Map<String, Integer> ALIASES =
      Map.of("CLD", 17, "IOT", 6, "POLL", 29, "UNUSED", 31, "RTMIN", REALTIME_FIRST, "RTMAX", LAST);

  /** Checks the range. */
  public Signal {
    if (number < 1 || number > LAST) {
      throw new IllegalArgumentException("signal " + number + ": must be 1 to 64");
    }
  }

  /**
   * Reads a signal as people write it: a number, or a name in any case with or without {@code SIG},
   * also {@code RTMIN+3} and {@code RTMAX-1}, which pod interfaces spell {@code RTMINPLUS3} and
   * {@code RTMAXMINUS1}. The numbers 32 and 33 are refused: the C library keeps them for itself.
   *
   * @throws IllegalArgumentException naming what was given
   */
  public static Signal parse(String text) {
    var name = text.toUpperCase(Locale.ROOT);
    if (name.isEmpty()) {
      throw unknown(text);
    }
    if (Character.isDigit(name.charAt(0))) {
      int number = number(name, text);
      if (number > NAMES.length && number < REALTIME_FIRST) {
        throw unknown(text);
      }
      return new Signal(number);
    }
    if (name.startsWith("SIG")) {
      name = name.substring(3);
    }
    for (int i = 0; i < NAMES.length; i++) {
      if (NAMES[i].equals(name)) {
        return new Signal(i + 1);
      }
    }
    var alias = ALIASES.get(name);
    if (alias != null) {
      return new Signal(alias);
    }
    name = name.replace("RTMINPLUS", "RTMIN+").replace("RTMAXMINUS", "RTMAX-");
    if (name.startsWith("RTMIN+")) {
      return realtime(REALTIME_FIRST + number(name.substring(6), text), text);
    }
    if (name.startsWith("RTMAX-")) {
      return realtime(LAST - number(name.substring(6), text), text);
    }
    throw unknown(text);
  }

  private static Signal realtime(int number, String text) {
    if (number < REALTIME_FIRST || number > LAST) {
      throw unknown(text);
    }
    return new Signal(number);
  }

  private static int number(String digits, String text) {
    if (digits.startsWith("+") || digits.startsWith("-")) {
      throw unknown(text);
    }
    try {
      return Integer.parseInt(digits);
    } catch (NumberFormatException e) {
      throw unknown(text);
    }
  }

  private static IllegalArgumentException unknown(String text) {
    return new IllegalArgumentException(
        "signal '" + text + "': use a name such as TERM, RTMIN+3, or a number from 1 to 64");
  }

  /** The usual name, such as {@code SIGTERM} or {@code SIGRTMIN+3}. */
  public String usualName() {
    if (number <= NAMES.length) {
      return "SIG" + NAMES[number - 1];
    }
    return number < REALTIME_FIRST ? "SIG" + number : "SIGRTMIN+" + (number - REALTIME_FIRST);
  }

  @Override
  public String toString() {
    return usualName();
  }
}
