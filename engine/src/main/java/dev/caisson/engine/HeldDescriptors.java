package dev.caisson.engine;

import dev.caisson.linux.Fd;
import java.util.List;
import java.util.Map;

/**
 * The descriptors an earlier daemon gave to the {@link dev.caisson.engine.streams.DescriptorStore},
 * handed back.
 *
 * @param byName descriptors under their names
 */
public record HeldDescriptors(Map<String, List<Fd>> byName) {

  /** Copies what could change under it. */
  public HeldDescriptors {
    byName = Map.copyOf(byName);
  }

  /** Nothing was held. */
  public static HeldDescriptors none() {
    return new HeldDescriptors(Map.of());
  }

  /** The names that begin so. */
  List<String> under(String prefix) {
    return byName.keySet().stream().filter(name -> name.startsWith(prefix)).toList();
  }
}
