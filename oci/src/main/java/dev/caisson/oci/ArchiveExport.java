package dev.caisson.oci;

import dev.caisson.json.Json;
import dev.caisson.linux.DeviceNumber;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writes images as one archive or layout, in constant memory; the same images give the same bytes.
 * Blobs that several images share stand in it once. Layers stay compressed as they are stored. For
 * one thread.
 */
final class ArchiveExport {
  private static final int FILE_MODE = 0644;

  private static final String REFERENCE_NAME = "org.opencontainers.image.ref.name";

  private final ContentStore content;
  private final Target target;
  private final Set<String> written = new HashSet<>();

  /** Where the files go. */
  private interface Target {
    void add(String path, long size, InputStream stream) throws IOException;
  }

  private ArchiveExport(ContentStore content, Target target) {
    this.content = content;
    this.target = target;
  }

  /** Writes an OCI layout. Source: OCI image specification, image-layout.md. */
  static void writeLayout(ContentStore content, List<Image> images, OutputStream target)
      throws IOException {
    try (var archive = new TarWriter(target)) {
      var export = new ArchiveExport(content, inTar(archive));
      export.addLayout(images, List.of());
    }
  }

  /**
   * Writes an OCI layout as a directory, which may hold one already: its other images stay. Nothing
   * is changed when that fails.
   *
   * @throws ImageException {@code INVALID} for a directory that holds something else
   */
  static void writeLayout(ContentStore content, List<Image> images, Path directory)
      throws IOException {
    try (var layout = LayoutDirectory.open(directory)) {
      new ArchiveExport(content, layout::add).addLayout(images, layout.manifests());
      layout.keep();
    }
  }

  /** Adds the images to a layout that has others. */
  private void addLayout(List<Image> images, List<Descriptor> others) throws IOException {
    add("oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}".getBytes(StandardCharsets.UTF_8));
    var manifests = new ArrayList<Descriptor>();
    for (Image image : images) {
      manifests.add(named(image));
      var manifest = manifest(image);
      addBlob(image.target());
      addBlob(manifest.config());
      for (Descriptor layer : manifest.layers()) {
        addBlob(layer);
      }
    }
    var replaced =
        manifests.stream().map(each -> each.annotation(REFERENCE_NAME)).collect(Collectors.toSet());
    for (Descriptor other : others) {
      var name = other.annotation(REFERENCE_NAME);
      var again = manifests.stream().anyMatch(each -> each.digest().equals(other.digest()));
      if (name.isEmpty() ? !again : !replaced.contains(name)) {
        manifests.add(other);
      }
    }
    add("index.json", Json.write(new Index(2, Descriptor.INDEX, manifests, Map.of())));
  }

  private static Descriptor named(Image image) {
    var annotations = new LinkedHashMap<String, Object>();
    if (hasName(image)) {
      annotations.put("io.containerd.image.name", image.name());
      annotations.put(REFERENCE_NAME, image.name());
    }
    var target = image.target();
    return new Descriptor(
        target.mediaType(), target.digest(), target.size(), Map.of("annotations", annotations));
  }

  private static boolean hasName(Image image) {
    return !Digest.isDigest(image.name());
  }

  /** Writes what {@code docker load} reads. Source: Docker image specification 1.2. */
  static void writeDocker(ContentStore content, List<Image> images, OutputStream target)
      throws IOException {
    try (var archive = new TarWriter(target)) {
      var export = new ArchiveExport(content, inTar(archive));
      var list = new ArrayList<Object>();
      for (Image image : images) {
        list.add(export.addDocker(image));
      }
      export.add("manifest.json", Json.write(list));
    }
  }

  private Map<String, Object> addDocker(Image image) throws IOException {
    var manifest = manifest(image);
    String config = manifest.config().digest().hex() + ".json";
    addFile(config, manifest.config());
    var layers = new ArrayList<String>();
    for (Descriptor layer : manifest.layers()) {
      String name = layer.digest().hex() + "/layer.tar";
      addFile(name, layer);
      layers.add(name);
    }
    var entry = new LinkedHashMap<String, Object>();
    entry.put("Config", config);
    entry.put("RepoTags", hasName(image) ? List.of(image.name()) : List.of());
    entry.put("Layers", layers);
    return entry;
  }

  private Manifest manifest(Image image) {
    return Json.read(content.read(image.target().digest()), Manifest.class);
  }

  private void addBlob(Descriptor blob) throws IOException {
    addFile("blobs/sha256/" + blob.digest().hex(), blob);
  }

  private void addFile(String path, Descriptor blob) throws IOException {
    if (written.add(path)) {
      try (var stream = Files.newInputStream(content.path(blob.digest()))) {
        target.add(path, blob.size(), stream);
      }
    }
  }

  private void add(String path, byte[] bytes) throws IOException {
    target.add(path, bytes.length, new ByteArrayInputStream(bytes));
  }

  private static Target inTar(TarWriter archive) {
    return (path, size, stream) ->
        archive.add(
            new TarEntry(
                path,
                TarEntry.Type.FILE,
                "",
                FILE_MODE,
                0,
                0,
                size,
                Instant.EPOCH,
                DeviceNumber.NONE,
                Collections.emptySortedMap(),
                List.of()),
            stream);
  }
}
