package dev.caisson.oci.registry;

import dev.caisson.oci.Digest;
import java.util.List;

/**
 * What came of a pull.
 *
 * @param name the full name under which the image is kept now
 * @param id digest of its config
 * @param digest what the name means at the registry: of the list of platforms, where there is one
 * @param isNew whether the name meant something else before, or nothing
 * @param warnings what went less than well
 */
public record PulledImage(
    String name, Digest id, Digest digest, boolean isNew, List<String> warnings) {
  /** Copies. */
  public PulledImage {
    warnings = List.copyOf(warnings);
  }
}
