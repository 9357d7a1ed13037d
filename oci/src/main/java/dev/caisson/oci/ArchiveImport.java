package dev.caisson.oci;

import dev.caisson.json.Json;
import dev.caisson.json.JsonException;
import dev.caisson.json.Name;
import dev.caisson.json.Unknown;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Loads images from an OCI layout or from what {@code docker save} writes. All of an archive's
 * images are loaded or none. Source: OCI image specification, image-layout.md; Docker image
 * specification 1.2, "Combined Image JSON + Filesystem Changeset Format".
 */
final class ArchiveImport {
  private static final String FULL_NAME = "io.containerd.image.name";
  private static final String REFERENCE_NAME = "org.opencontainers.image.ref.name";
  private static final int DEEPEST_INDEX = 4;

  /** One image of a docker archive, as its {@code manifest.json} tells it. */
  private record DockerImage(
      @Name("Config") String config,
      @Name("RepoTags") List<String> names,
      @Name("Layers") List<String> layers,
      @Unknown Map<String, Object> others) {}

  /** Wraps the array that manifest.json is, since a document is one record. */
  private record DockerImages(List<DockerImage> images) {}

  /**
   * An image that is complete in the content store.
   *
   * @param names as the archive has them, completed; empty for an image without a name
   * @param target its manifest
   */
  record Loaded(List<String> names, Descriptor target) {}

  private final ContentStore content;
  private final ImageLayers layers;
  private final LayerLimits limits;
  private final List<String> warnings = new ArrayList<>();

  ArchiveImport(ContentStore content, ImageLayers layers, LayerLimits limits) {
    this.content = content;
    this.layers = layers;
    this.limits = limits;
  }

  /**
   * Reads and unpacks all images of an archive.
   *
   * @throws ImageException {@code INVALID}; nothing is imported then
   */
  List<Loaded> load(InputStream archive) throws IOException {
    return load(contents -> contents.read(archive, limits));
  }

  /**
   * Reads and unpacks all images of an OCI layout that lies in a directory.
   *
   * @throws ImageException {@code INVALID}; nothing is imported then
   */
  List<Loaded> load(Path layout) throws IOException {
    return load(contents -> contents.read(layout));
  }

  /** Fills the contents from wherever they are. */
  private interface Reading {
    void into(ArchiveContents contents) throws IOException;
  }

  private List<Loaded> load(Reading reading) throws IOException {
    var contents = new ArchiveContents(content);
    var kept = new HashSet<Digest>();
    try {
      reading.into(contents);
      var loaded = find(contents);
      if (loaded.isEmpty()) {
        throw ArchiveContents.invalid("there is no image in it");
      }
      var used = new HashSet<Digest>();
      for (Loaded image : loaded) {
        unpack(image, used);
      }
      kept.addAll(used);
      return loaded;
    } catch (DamagedLayerException e) {
      throw new ImageException(
          ImageException.Kind.INVALID,
          "load an archive",
          String.valueOf(e.getMessage()),
          ArchiveContents.WANTED,
          e);
    } catch (IllegalArgumentException | JsonException e) {
      throw ArchiveContents.invalid(String.valueOf(e.getMessage()));
    } finally {
      contents.discard(kept);
    }
  }

  private List<Loaded> find(ArchiveContents contents) throws IOException {
    var index = contents.document("index.json");
    if (index.isPresent()) {
      return fromLayout(index.get());
    }
    var docker = contents.document("manifest.json");
    if (docker.isPresent()) {
      return fromDocker(docker.get(), contents);
    }
    throw ArchiveContents.invalid("it has neither 'index.json' nor 'manifest.json'");
  }

  // ---- OCI layout

  private List<Loaded> fromLayout(byte[] document) {
    var loaded = new ArrayList<Loaded>();
    for (Descriptor target : Json.read(document, Index.class).manifests()) {
      var manifest = manifest(target, 0);
      loaded.add(new Loaded(nameOf(target), manifest));
    }
    return loaded;
  }

  private static List<String> nameOf(Descriptor target) {
    String name = target.annotation(FULL_NAME);
    if (name.isEmpty()) {
      name = target.annotation(REFERENCE_NAME);
      // Most writers put the tag alone here, which names nothing without its repository.
      if (name.indexOf('/') < 0 && name.indexOf(':') < 0) {
        return List.of();
      }
    }
    return List.of(fullName(name));
  }

  private static String fullName(String name) {
    return name.startsWith(Images.BUILTIN_PREFIX) ? name : Reference.parse(name).toString();
  }

  /** The manifest itself, or the one for this machine of a list. */
  private Descriptor manifest(Descriptor target, int depth) {
    if (!content.has(target.digest())) {
      throw ArchiveContents.invalid("blob '" + target.digest() + "' is missing");
    }
    if (!target.isIndex()) {
      return new Descriptor(target.mediaType(), target.digest(), target.size(), Map.of());
    }
    if (depth == DEEPEST_INDEX) {
      throw ArchiveContents.invalid("its lists of images are nested too deep");
    }
    var wanted = Platform.own();
    var index = Json.read(content.read(target.digest()), Index.class);
    // An archive of one platform may still have the list of all.
    var fitting =
        wanted.choices(index.manifests()).stream()
            .filter(each -> content.has(each.digest()))
            .findFirst();
    return manifest(
        fitting.orElseThrow(() -> ArchiveContents.invalid("it has no image for '" + wanted + "'")),
        depth + 1);
  }

  // ---- docker save

  private List<Loaded> fromDocker(byte[] document, ArchiveContents contents) throws IOException {
    byte[] wrapped = join("{\"images\":", document, "}");
    var loaded = new ArrayList<Loaded>();
    for (DockerImage image : Json.read(wrapped, DockerImages.class).images()) {
      var config = contents.get(image.config());
      var layerDescriptors = new ArrayList<Descriptor>();
      for (String name : image.layers()) {
        var blob = contents.get(name);
        layerDescriptors.add(new Descriptor(layerType(blob), blob.digest(), blob.size(), Map.of()));
      }
      byte[] manifest =
          Json.write(
              new Manifest(
                  2,
                  Descriptor.MANIFEST,
                  new Descriptor(Descriptor.CONFIG, config.digest(), config.size(), Map.of()),
                  layerDescriptors,
                  Map.of()));
      contents.made(content.add(new ByteArrayInputStream(manifest)));
      loaded.add(
          new Loaded(
              image.names().stream().map(ArchiveImport::fullName).toList(),
              Descriptor.of(Descriptor.MANIFEST, manifest)));
    }
    return loaded;
  }

  private static byte[] join(String before, byte[] document, String after) {
    var bytes = new ByteArrayOutputStream();
    bytes.writeBytes(before.getBytes(StandardCharsets.US_ASCII));
    bytes.writeBytes(document);
    bytes.writeBytes(after.getBytes(StandardCharsets.US_ASCII));
    return bytes.toByteArray();
  }

  private String layerType(ContentStore.Added blob) throws IOException {
    try (var stream = Files.newInputStream(content.path(blob.digest()))) {
      return switch (Compression.of(stream)) {
        case NONE -> Descriptor.LAYER;
        case GZIP -> Descriptor.LAYER + "+gzip";
        case ZSTD -> Descriptor.LAYER + "+zstd";
      };
    }
  }

  // ---- both

  private void unpack(Loaded image, Set<Digest> used) {
    String name = image.names().stream().findFirst().orElse(image.target().digest().value());
    var manifest = Json.read(content.read(image.target().digest()), Manifest.class);
    var config = Json.read(content.read(manifest.config().digest()), ImageConfig.class);
    for (Descriptor layer : manifest.layers()) {
      if (!content.has(layer.digest())) {
        throw ArchiveContents.invalid("layer '" + layer.digest() + "' is missing");
      }
      used.add(layer.digest());
    }
    used.add(image.target().digest());
    used.add(manifest.config().digest());
    warnings.addAll(layers.unpack(name, manifest, config, layers.stored(), Intake.Progress.none()));
  }

  /** What is worth telling the user of what was loaded. */
  List<String> warnings() {
    return List.copyOf(warnings);
  }
}
