package dev.caisson.engine.spec;

import dev.caisson.json.Unknown;
import java.util.Map;

/**
 * What a clock shows more than the host's. Source: runtime specification, config-linux.md, Offset
 * for Time Namespace.
 *
 * @param secs seconds
 * @param nanosecs and nanoseconds
 * @param others everything else, unchanged
 */
public record TimeOffset(long secs, long nanosecs, @Unknown Map<String, Object> others) {

  /** Copies what could change under it. */
  public TimeOffset {
    others = Ordered.copy(others);
  }
}
