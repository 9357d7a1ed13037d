package dev.caisson.engine.spec;

import dev.caisson.json.Unknown;
import java.util.Map;

/**
 * A container's root file system. Source: runtime specification, config.md, Root.
 *
 * @param path directory, absolute or below the bundle
 * @param readonly whether the container may not change it
 * @param others everything else, unchanged
 */
public record Root(String path, boolean readonly, @Unknown Map<String, Object> others) {

  /** A root. */
  public static Root of(String path, boolean readonly) {
    return new Root(path, readonly, Map.of());
  }

  /** Copies what could change under it. */
  public Root {
    others = Ordered.copy(others);
  }
}
