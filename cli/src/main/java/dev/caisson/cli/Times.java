package dev.caisson.cli;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;

/** Moments and durations as people write and read them. */
final class Times {
  private static final long MINUTE = 60;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  private Times() {}

  /** About how long it is, in Docker's words: {@code 5 minutes}. */
  static String about(long seconds) {
    if (seconds < 1) {
      return "Less than a second";
    }
    if (seconds == 1) {
      return "1 second";
    }
    if (seconds < MINUTE) {
      return seconds + " seconds";
    }
    if (seconds < 2 * MINUTE) {
      return "About a minute";
    }
    if (seconds < HOUR) {
      return seconds / MINUTE + " minutes";
    }
    if (seconds < 2 * HOUR) {
      return "About an hour";
    }
    if (seconds < 2 * DAY) {
      return seconds / HOUR + " hours";
    }
    if (seconds < 14 * DAY) {
      return seconds / DAY + " days";
    }
    if (seconds < 60 * DAY) {
      return seconds / (7 * DAY) + " weeks";
    }
    if (seconds < 730 * DAY) {
      return seconds / (30 * DAY) + " months";
    }
    return seconds / (365 * DAY) + " years";
  }

  /** How long ago it was. */
  static String ago(Instant then) {
    return about(secondsSince(then)) + " ago";
  }

  static long secondsSince(Instant then) {
    return Math.max(0, System.currentTimeMillis() / 1000 - then.getEpochSecond());
  }

  /**
   * Reads a moment: RFC 3339, the same without zone (this machine's), seconds since 1970, or a
   * duration before now such as {@code 10m}.
   */
  static Instant moment(String text) {
    try {
      if (text.indexOf('T') > 0 || text.indexOf('-') > 0) {
        return calendar(text);
      }
      int point = text.indexOf('.');
      if (!text.isEmpty() && Character.isDigit(text.charAt(text.length() - 1))) {
        long seconds = Long.parseLong(point < 0 ? text : text.substring(0, point));
        var nanos = point < 0 ? "" : text.substring(point + 1);
        return Instant.ofEpochSecond(
            seconds, nanos.isEmpty() ? 0 : Long.parseLong((nanos + "000000000").substring(0, 9)));
      }
      return Instant.now().minus(duration(text));
    } catch (DateTimeException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "say a time such as 2026-01-31T12:00:00Z, seconds since 1970, or 10m for ten minutes"
              + " ago");
    }
  }

  private static Instant calendar(String text) {
    var time = text.indexOf('T') < 0 ? text + "T00:00:00" : text;
    boolean zoned =
        time.endsWith("Z") || time.indexOf('+') > 0 || time.lastIndexOf('-') > time.indexOf('T');
    return zoned
        ? OffsetDateTime.parse(time).toInstant()
        : LocalDateTime.parse(time).atZone(ZoneId.systemDefault()).toInstant();
  }

  /** Reads a duration: {@code 90}, {@code 90s}, {@code 1m30s}, {@code 2h}, {@code 500ms}. */
  static Duration duration(String text) {
    try {
      return parseDuration(text);
    } catch (NumberFormatException | ArithmeticException e) {
      throw new IllegalArgumentException("say a duration such as 90, 90s or 1m30s");
    }
  }

  private static Duration parseDuration(String text) {
    if (!text.isEmpty() && Character.isDigit(text.charAt(text.length() - 1))) {
      return Duration.ofSeconds(Long.parseLong(text));
    }
    var sum = Duration.ZERO;
    int at = 0;
    do {
      int digits = at;
      while (digits < text.length() && Character.isDigit(text.charAt(digits))) {
        digits++;
      }
      int end = digits;
      while (end < text.length() && !Character.isDigit(text.charAt(end))) {
        end++;
      }
      long count = Long.parseLong(text.substring(at, digits));
      sum =
          switch (text.substring(digits, end)) {
            case "ms" -> sum.plusMillis(count);
            case "s" -> sum.plusSeconds(count);
            case "m" -> sum.plusMinutes(count);
            case "h" -> sum.plusHours(count);
            case "d" -> sum.plusDays(count);
            default -> throw new NumberFormatException(text);
          };
      at = end;
    } while (at < text.length());
    return sum;
  }
}
