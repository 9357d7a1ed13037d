package dev.caisson.engine.spec;

import dev.caisson.json.Unknown;
import java.util.Map;
import java.util.Optional;

/**
 * A namespace of a container. Source: runtime specification, config-linux.md, Namespaces.
 *
 * @param type {@code pid}, {@code network}, {@code mount}, {@code ipc}, {@code uts}, {@code user},
 *     {@code cgroup} or {@code time}
 * @param path a namespace that is there already; a new one when empty
 * @param others everything else, unchanged
 */
public record Namespace(String type, Optional<String> path, @Unknown Map<String, Object> others) {

  /** A new namespace. */
  public static Namespace of(String type) {
    return new Namespace(type, Optional.empty(), Map.of());
  }

  /** Copies what could change under it. */
  public Namespace {
    others = Ordered.copy(others);
  }
}
