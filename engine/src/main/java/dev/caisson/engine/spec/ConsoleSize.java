package dev.caisson.engine.spec;

import dev.caisson.json.Unknown;
import java.util.Map;

/**
 * Size of a terminal, in characters. Source: runtime specification, config.md, Process.
 *
 * @param height rows
 * @param width columns
 * @param others everything else, unchanged
 */
public record ConsoleSize(long height, long width, @Unknown Map<String, Object> others) {

  /** A size. */
  public static ConsoleSize of(int columns, int rows) {
    return new ConsoleSize(rows, columns, Map.of());
  }

  /** Copies what could change under it. */
  public ConsoleSize {
    others = Ordered.copy(others);
  }
}
