package dev.caisson.engine.spec;

import dev.caisson.json.Name;
import dev.caisson.json.Unknown;
import java.util.Map;
import java.util.Optional;

/**
 * How a process gets disk time, as ioprio_set(2) has it. Source: runtime specification, config.md,
 * Linux process.
 *
 * @param ioClass {@code IOPRIO_CLASS_BE}
 * @param priority 0, the highest, to 7
 * @param others everything else, unchanged
 */
public record IoPriority(
    @Name("class") String ioClass,
    Optional<Integer> priority,
    @Unknown Map<String, Object> others) {

  /** Copies what could change under it. */
  public IoPriority {
    others = Ordered.copy(others);
  }
}
