package dev.caisson.oci.registry;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/**
 * How often something is tried, and how long to wait in between. Source: RFC 9110, section 10.2.3.
 *
 * @param tries in all, at least 1
 * @param firstPause before the second try; it doubles each time
 * @param longestPause more than this is never waited at once, whatever a server asks for
 */
public record Retries(int tries, Duration firstPause, Duration longestPause) {
  /** Six tries; pauses of 1, 2, 4, … seconds, at most a minute. */
  public static final Retries USUAL = new Retries(6, Duration.ofSeconds(1), Duration.ofMinutes(1));

  private static final int LONGEST_NUMBER = 9;
  private static final int MOST_DOUBLINGS = 20;

  /** Checks that there is a try, and that pauses are not a busy loop. */
  public Retries {
    if (tries < 1 || !firstPause.isPositive() || longestPause.compareTo(firstPause) < 0) {
      throw new IllegalArgumentException(
          "retries %d, %s, %s: at least one try, pauses above 0, the longest last"
              .formatted(tries, firstPause, longestPause));
    }
  }

  Retries withTries(int tries) {
    return new Retries(tries, firstPause, longestPause);
  }

  /**
   * How long to wait.
   *
   * @param pause what to wait
   * @param isCapped whether the server asked for more
   */
  record Wait(Duration pause, boolean isCapped) {}

  /**
   * The pause after a failed try.
   *
   * @param failed how many tries have failed, from 1
   * @param retryAfter what the server said; nonsense counts as nothing
   */
  Wait after(int failed, Optional<String> retryAfter, Instant now) {
    var told = retryAfter.map(String::strip).flatMap(text -> parse(text, now));
    var pause =
        told.orElseGet(() -> firstPause.multipliedBy(1L << Math.min(failed - 1, MOST_DOUBLINGS)));
    if (pause.compareTo(longestPause) > 0) {
      return new Wait(longestPause, told.isPresent());
    }
    // "At once" and dates gone by would make a busy loop.
    return new Wait(pause.isPositive() ? pause : firstPause, false);
  }

  private static Optional<Duration> parse(String text, Instant now) {
    if (text.matches("[0-9]+")) {
      return Optional.of(
          Duration.ofSeconds(
              text.length() > LONGEST_NUMBER ? Integer.MAX_VALUE : Long.parseLong(text)));
    }
    try {
      return Optional.of(
          Duration.between(
              now, ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant()));
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }
}
