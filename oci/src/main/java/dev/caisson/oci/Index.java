package dev.caisson.oci;

import dev.caisson.json.Unknown;
import java.util.List;
import java.util.Map;

/** A list of manifests: for several platforms, or of the images in a layout. */
public record Index(
    int schemaVersion,
    String mediaType,
    List<Descriptor> manifests,
    @Unknown Map<String, Object> others) {}
