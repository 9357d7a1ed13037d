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
  static final String INDEX = "application/vnd.oci.image.index.v1+json";
  static final String DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";
  static final String DOCKER_INDEX = "application/vnd.docker.distribution.manifest.list.v2+json";
  static final String LAYER = "application/vnd.oci.image.layer.v1.tar";

  /** Whether it points to a list of manifests for several platforms. */
  boolean isIndex() {
    return mediaType.equals(INDEX) || mediaType.equals(DOCKER_INDEX);
  }

  /** Its annotation of that key, "" if there is none. */
  String annotation(String key) {
    return others.get("annotations") instanceof Map<?, ?> annotations
            && annotations.get(key) instanceof String value
        ? value
        : "";
  }

  /** Its platform, as far as it tells: "os/architecture[/variant]", otherwise "". */
  String platform() {
    if (!(others.get("platform") instanceof Map<?, ?> platform)) {
      return "";
    }
    String variant = platform.get("variant") instanceof String value ? "/" + value : "";
    return platform.get("os") + "/" + platform.get("architecture") + variant;
  }

  static Descriptor of(String mediaType, byte[] content) {
    return new Descriptor(mediaType, Digest.of(content), content.length, Map.of());
  }
}
