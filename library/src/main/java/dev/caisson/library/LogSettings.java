package dev.caisson.library;

import java.time.Instant;
import java.util.Optional;

/**
 * Which part of a log.
 *
 * @param follow go on until the container ends
 * @param tail only the last lines; empty for all
 * @param since only from then on
 * @param until only before then
 */
public record LogSettings(
    boolean follow, Optional<Integer> tail, Optional<Instant> since, Optional<Instant> until) {

  /** All that is there. */
  public static final LogSettings ALL =
      new LogSettings(false, Optional.empty(), Optional.empty(), Optional.empty());
}
