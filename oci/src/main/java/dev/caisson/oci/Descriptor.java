package dev.caisson.oci;

import dev.caisson.json.Unknown;
import java.util.LinkedHashMap;
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
  /** A manifest. */
  public static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";

  /** The config of an image. */
  public static final String CONFIG = "application/vnd.oci.image.config.v1+json";

  /** A list of manifests. */
  public static final String INDEX = "application/vnd.oci.image.index.v1+json";

  /** Docker's form of a manifest. */
  public static final String DOCKER_MANIFEST =
      "application/vnd.docker.distribution.manifest.v2+json";

  /** Docker's form of a list of manifests. */
  public static final String DOCKER_INDEX =
      "application/vnd.docker.distribution.manifest.list.v2+json";

  /** A layer that is not compressed. */
  public static final String LAYER = "application/vnd.oci.image.layer.v1.tar";

  /** Whether it points to a list of manifests for several platforms. */
  public boolean isIndex() {
    return mediaType.equals(INDEX) || mediaType.equals(DOCKER_INDEX);
  }

  /** This with one more annotation. */
  public Descriptor withAnnotation(String key, String value) {
    var annotations = new LinkedHashMap<Object, Object>();
    if (others.get("annotations") instanceof Map<?, ?> before) {
      annotations.putAll(before);
    }
    annotations.put(key, value);
    var more = new LinkedHashMap<>(others);
    more.put("annotations", annotations);
    return new Descriptor(mediaType, digest, size, more);
  }

  /** Its annotation of that key, "" if there is none. */
  public String annotation(String key) {
    return others.get("annotations") instanceof Map<?, ?> annotations
            && annotations.get(key) instanceof String value
        ? value
        : "";
  }

  /** Of content that is at hand. */
  public static Descriptor of(String mediaType, byte[] content) {
    return new Descriptor(mediaType, Digest.of(content), content.length, Map.of());
  }
}
