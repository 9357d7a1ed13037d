package dev.caisson.oci.registry;

import dev.caisson.json.Json;
import dev.caisson.oci.Descriptor;
import dev.caisson.oci.Digest;
import dev.caisson.oci.LayerText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An image of a test, in memory.
 *
 * @param manifest document
 * @param config document
 * @param layers uncompressed, lowest first
 */
record TestImage(byte[] manifest, byte[] config, List<byte[]> layers) {

  /** One layer for each text, with a file named after it that holds the text. */
  static TestImage of(String... files) {
    return forPlatform("amd64", files);
  }

  static TestImage forPlatform(String architecture, String... files) {
    var layers = new ArrayList<byte[]>();
    for (String file : files) {
      layers.add(LayerText.layer("file " + file + " 0644 \"" + file + "\""));
    }
    return of(architecture, layers);
  }

  static TestImage of(String architecture, List<byte[]> layers) {
    var diffIds = layers.stream().map(layer -> Digest.of(layer).value()).toList();
    byte[] config =
        Json.write(
            Map.of(
                "os",
                "linux",
                "architecture",
                architecture,
                "rootfs",
                Map.of("type", "layers", "diff_ids", diffIds)));
    return new TestImage(
        manifest(
            descriptor(Descriptor.CONFIG, config),
            layers.stream().map(layer -> descriptor(Descriptor.LAYER, layer)).toList()),
        config,
        layers);
  }

  static byte[] manifest(Map<String, Object> config, List<Map<String, Object>> layers) {
    var manifest = new LinkedHashMap<String, Object>();
    manifest.put("schemaVersion", 2);
    manifest.put("mediaType", Descriptor.MANIFEST);
    manifest.put("config", config);
    manifest.put("layers", layers);
    return Json.write(manifest);
  }

  static Map<String, Object> descriptor(String type, byte[] content) {
    var descriptor = new LinkedHashMap<String, Object>();
    descriptor.put("mediaType", type);
    descriptor.put("digest", Digest.of(content).value());
    descriptor.put("size", content.length);
    return descriptor;
  }

  /** A list of manifests. */
  static byte[] list(List<Map<String, Object>> manifests) {
    var list = new LinkedHashMap<String, Object>();
    list.put("schemaVersion", 2);
    list.put("mediaType", Descriptor.INDEX);
    list.put("manifests", manifests);
    return Json.write(list);
  }

  /** This image in a list, for a platform such as {@code linux/arm64/v8}. */
  Map<String, Object> entry(String platform) {
    var parts = platform.split("/");
    var entry = descriptor(Descriptor.MANIFEST, manifest);
    var told = new LinkedHashMap<String, Object>();
    told.put("os", parts[0]);
    told.put("architecture", parts[1]);
    if (parts.length > 2) {
      told.put("variant", parts[2]);
    }
    entry.put("platform", told);
    return entry;
  }

  /** Puts everything at a registry. */
  Digest into(FakeRegistry registry, String tag) {
    registry.putBlob(config);
    layers.forEach(registry::putBlob);
    return registry.putManifest(tag, Descriptor.MANIFEST, manifest);
  }

  Digest layer(int at) {
    return Digest.of(layers.get(at));
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
