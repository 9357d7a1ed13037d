package dev.caisson.cli;

import java.time.Duration;
import java.util.Optional;

/** Time a container has to end by itself, as options say it. */
final class Grace {
  /** Stands for waiting as long as it takes. */
  private static final Duration FOR_EVER = Duration.ofDays(365);

  private Grace() {}

  static Optional<Duration> of(Option.Text seconds) {
    var number = LimitOptions.whole(seconds);
    if (number.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(number.get() < 0 ? FOR_EVER : Duration.ofSeconds(number.get()));
  }
}
