package dev.caisson.oci;

import dev.caisson.json.Unknown;
import java.util.List;
import java.util.Map;

/** What one image for one platform consists of. */
public record Manifest(
    int schemaVersion,
    String mediaType,
    Descriptor config,
    List<Descriptor> layers,
    @Unknown Map<String, Object> others) {}
