package dev.caisson.engine.spec;

import dev.caisson.json.Unknown;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Something mounted in a container besides its root. Source: runtime specification, config.md,
 * Mounts.
 *
 * @param destination where, absolute in the container
 * @param type file system, {@code tmpfs}; anything for a bind
 * @param source device, directory or file; relative ones below the bundle
 * @param options in mount(8)'s words; those that it does not know are the file system's
 * @param uidMappings users of the source as the container sees them
 * @param gidMappings groups of the source as the container sees them
 * @param others everything else, unchanged
 */
public record Mount(
    String destination,
    Optional<String> type,
    Optional<String> source,
    List<String> options,
    List<IdMapping> uidMappings,
    List<IdMapping> gidMappings,
    @Unknown Map<String, Object> others) {

  /** A mount of a file system. */
  public static Mount of(String destination, String type, String source, List<String> options) {
    return new Mount(
        destination,
        Optional.of(type),
        Optional.of(source),
        options,
        List.of(),
        List.of(),
        Map.of());
  }

  /** Whether it shows something that is mounted already. */
  public boolean isBind() {
    return options.contains("bind")
        || options.contains("rbind")
        || type.filter("bind"::equals).isPresent();
  }

  /** Copies what could change under it. */
  public Mount {
    options = List.copyOf(options);
    uidMappings = List.copyOf(uidMappings);
    gidMappings = List.copyOf(gidMappings);
    others = Ordered.copy(others);
  }
}
