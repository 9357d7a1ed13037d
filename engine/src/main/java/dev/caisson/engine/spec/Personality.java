package dev.caisson.engine.spec;

import dev.caisson.json.Unknown;
import java.util.List;
import java.util.Map;

/**
 * Execution domain by personality(2). Source: runtime specification, config-linux.md, Personality.
 *
 * @param domain {@code LINUX} or {@code LINUX32}
 * @param flags none are defined
 * @param others everything else, unchanged
 */
public record Personality(String domain, List<String> flags, @Unknown Map<String, Object> others) {

  /** Copies what could change under it. */
  public Personality {
    flags = List.copyOf(flags);
    others = Ordered.copy(others);
  }
}
