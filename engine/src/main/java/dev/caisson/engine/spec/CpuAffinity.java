package dev.caisson.engine.spec;

import dev.caisson.json.Name;
import dev.caisson.json.Unknown;
import java.util.Map;
import java.util.Optional;

/**
 * Processors a process run later may use. Source: runtime specification, config.md, Linux process.
 *
 * @param initial before it is in the container's cgroup, {@code 0-3,7}
 * @param last afterwards
 * @param others everything else, unchanged
 */
public record CpuAffinity(
    Optional<String> initial,
    @Name("final") Optional<String> last,
    @Unknown Map<String, Object> others) {

  /** Copies what could change under it. */
  public CpuAffinity {
    others = Ordered.copy(others);
  }
}
