package dev.caisson.oci;

import dev.caisson.json.Unknown;
import java.util.Map;

/**
 * Points to content: what it is, which, how long.
 *
 * @param mediaType its type
 * @param digest its digest
 * @param size its bytes
 * @param others fields of the specification that are not of interest here
 */
public record Descriptor(
    String mediaType, Digest digest, long size, @Unknown Map<String, Object> others) {
  static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
  static final String CONFIG = "application/vnd.oci.image.config.v1+json";
  static final String LAYER = "application/vnd.oci.image.layer.v1.tar";

  static Descriptor of(String mediaType, byte[] content) {
    return new Descriptor(mediaType, Digest.of(content), content.length, Map.of());
  }
}
