package dev.caisson.library;

import java.time.Instant;
import java.util.Optional;

/**
 * Which events.
 *
 * @param container only of this one
 * @param since also those kept since then (the node keeps the last 1,000)
 * @param until end at this moment
 */
public record EventFilter(
    Optional<String> container, Optional<Instant> since, Optional<Instant> until) {

  /** All from now on. */
  public static final EventFilter ALL =
      new EventFilter(Optional.empty(), Optional.empty(), Optional.empty());
}
