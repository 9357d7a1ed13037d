package dev.caisson.engine.process;

import dev.caisson.engine.PodException;
import dev.caisson.engine.Reason;
import dev.caisson.json.Json;
import dev.caisson.json.JsonException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;

/**
 * Makes sense of what a low-level runtime says when it fails. Runtimes report by text only; crun
 * and runc write JSON lines with {@code level} and {@code msg} to their log.
 */
final class RuntimeFailure {
  private static final int LONGEST = 600;

  private RuntimeFailure() {}

  /** The failure of one call: {@code log} is what the runtime wrote, JSON lines or plain text. */
  static PodException of(String tried, String runtime, String outcome, byte[] log) {
    var message = message(log);
    var found =
        runtime + " " + outcome + (message.isEmpty() ? " and said nothing" : ": " + message);
    var reason = reason(message);
    return new PodException(reason, tried, found, advice(reason));
  }

  /** The first useful line: the last error of a JSON log, else the first line of plain text. */
  static String message(byte[] log) {
    var error = "";
    var plain = "";
    for (var line : new String(log, StandardCharsets.UTF_8).lines().toList()) {
      if (line.startsWith("{")) {
        error = errorIn(line).isEmpty() ? error : errorIn(line);
      } else if (plain.isEmpty() && !line.isBlank()) {
        plain = line.strip();
      }
    }
    var found = error.isEmpty() ? plain : error;
    return found.length() <= LONGEST ? found : found.substring(0, LONGEST) + "…";
  }

  private static String errorIn(String line) {
    try {
      return Json.readTree(line) instanceof Map<?, ?> entry
              && ("error".equals(entry.get("level")) || "fatal".equals(entry.get("level")))
              && entry.get("msg") instanceof String text
          ? text
          : "";
    } catch (JsonException e) {
      return "";
    }
  }

  /** Tells a program that is missing or cannot be run from all other failures. */
  static Reason reason(String message) {
    var text = message.toLowerCase(Locale.ROOT);
    if (text.contains("chdir")) {
      return Reason.INVALID;
    }
    if (!text.contains("exec")) {
      return Reason.INTERNAL;
    }
    if (text.contains("permission denied")
        || text.contains("exec format error")
        || text.contains("is a directory")
        || text.contains("text file busy")) {
      return Reason.PROGRAM_NOT_EXECUTABLE;
    }
    if (text.contains("no such file or directory")
        || text.contains("not found")
        || text.contains("not a directory")) {
      return Reason.PROGRAM_NOT_FOUND;
    }
    return Reason.INTERNAL;
  }

  private static String advice(Reason reason) {
    return switch (reason) {
      case PROGRAM_NOT_FOUND -> "check the command and the image's PATH";
      case INVALID -> "check the working directory";
      case PROGRAM_NOT_EXECUTABLE -> "check that it is an executable file of this architecture";
      default -> "";
    };
  }
}
