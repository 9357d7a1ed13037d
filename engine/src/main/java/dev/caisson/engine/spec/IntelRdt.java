package dev.caisson.engine.spec;

import dev.caisson.json.Name;
import dev.caisson.json.Unknown;
import java.util.Map;
import java.util.Optional;

/**
 * Share of processor caches and memory bandwidth. Source: runtime specification, config-linux.md,
 * IntelRdt.
 *
 * @param closId class of service, a directory of resctrl
 * @param l3CacheSchema line for the cache, {@code L3:0=f}
 * @param memBwSchema line for the bandwidth, {@code MB:0=20}
 * @param enableCmt count use of the cache
 * @param enableMbm count use of the bandwidth
 * @param others everything else, unchanged
 */
public record IntelRdt(
    @Name("closID") Optional<String> closId,
    Optional<String> l3CacheSchema,
    Optional<String> memBwSchema,
    @Name("enableCMT") Optional<Boolean> enableCmt,
    @Name("enableMBM") Optional<Boolean> enableMbm,
    @Unknown Map<String, Object> others) {

  /** Copies what could change under it. */
  public IntelRdt {
    others = Ordered.copy(others);
  }
}
