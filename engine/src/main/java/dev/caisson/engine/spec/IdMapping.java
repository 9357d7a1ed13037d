package dev.caisson.engine.spec;

import dev.caisson.json.Name;
import dev.caisson.json.Unknown;
import java.util.Map;
import java.util.Optional;

/**
 * A range of users or groups as a user namespace sees it. Source: runtime specification,
 * config-linux.md, User namespace mappings.
 *
 * @param containerId first in the container
 * @param hostId first on the host
 * @param size how many
 * @param others everything else, unchanged
 */
public record IdMapping(
    @Name("containerID") Optional<Long> containerId,
    @Name("hostID") Optional<Long> hostId,
    Optional<Long> size,
    @Unknown Map<String, Object> others) {

  /** Whether it maps an id of the container. */
  boolean holds(long id) {
    long first = containerId.orElse(0L);
    return id >= first && id - first < size.orElse(0L);
  }

  /** Whether the two have an id in common, of the container or of the host. */
  boolean meets(IdMapping other) {
    return meet(containerId, size, other.containerId, other.size)
        || meet(hostId, size, other.hostId, other.size);
  }

  private static boolean meet(
      Optional<Long> first,
      Optional<Long> size,
      Optional<Long> otherFirst,
      Optional<Long> otherSize) {
    return first.orElse(0L) < otherFirst.orElse(0L) + otherSize.orElse(0L)
        && otherFirst.orElse(0L) < first.orElse(0L) + size.orElse(0L);
  }

  /** Copies what could change under it. */
  public IdMapping {
    others = Ordered.copy(others);
  }
}
