package dev.caisson.engine.spec;

import dev.caisson.json.Unknown;
import dev.caisson.json.Unsigned;
import java.util.Map;
import java.util.Optional;

/**
 * A bound by setrlimit(2). Source: runtime specification, config.md, POSIX process.
 *
 * @param type {@code RLIMIT_NOFILE}
 * @param soft what holds, 0 to 2^64 - 1, which is unlimited
 * @param hard how far the process itself can raise it
 * @param others everything else, unchanged
 */
public record Rlimit(
    String type,
    @Unsigned Optional<Long> soft,
    @Unsigned Optional<Long> hard,
    @Unknown Map<String, Object> others) {

  /** A bound; {@code -1} is unlimited. */
  public static Rlimit of(String type, long soft, long hard) {
    return new Rlimit(type, Optional.of(soft), Optional.of(hard), Map.of());
  }

  /** Copies what could change under it. */
  public Rlimit {
    others = Ordered.copy(others);
  }
}
