package dev.caisson.oci;

import dev.caisson.json.Json;
import dev.caisson.json.JsonException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The images of a state root. Safe for use by many threads. */
public final class Images {
  /** Images made here; their names belong to no registry. */
  public static final String BUILTIN_PREFIX = "builtin/";

  private static final int SHORTEST_ID = 4;

  private final ContentStore content;
  private final ImageNames names;
  private final LayerStore layers;

  /** Held for reading while an archive comes in or goes out; for writing by prune. */
  private final ReentrantReadWriteLock incoming = new ReentrantReadWriteLock();

  private Images(ContentStore content, ImageNames names, LayerStore layers) {
    this.content = content;
    this.names = names;
    this.layers = layers;
  }

  /** Opens the images of a state root. */
  public static Images open(Path root) throws IOException {
    return new Images(
        ContentStore.open(root.resolve("content")),
        ImageNames.open(root.resolve("images").resolve("names.json")),
        LayerStore.open(root.resolve("layers")));
  }

  /** Where unpacked layers are, and roots are mounted. */
  public LayerStore layers() {
    return layers;
  }

  /**
   * The image of a name, an id or the beginning of one; {@code builtin/busybox} is made when it is
   * not there.
   */
  public Optional<Image> find(String word) {
    if (word.equals(BuiltinBusybox.NAME)
        && names.find(word).flatMap(target -> read(word, target, _ -> {})).isEmpty()) {
      makeBuiltin();
    }
    var named = names.find(word).or(() -> names.find(fullName(word)));
    if (named.isPresent()) {
      return Optional.of(image(names.find(word).isPresent() ? word : fullName(word), named.get()));
    }
    var id = word.startsWith("sha256:") ? word.substring("sha256:".length()) : word;
    return id.length() < SHORTEST_ID
        ? Optional.empty()
        : all().stream().filter(image -> image.id().hex().startsWith(id)).findFirst();
  }

  /** The name as it is kept, completed where it can be a registry's; any other word as it is. */
  private static String fullName(String word) {
    if (word.startsWith(BUILTIN_PREFIX)) {
      return word;
    }
    try {
      return Reference.parse(word).toString();
    } catch (IllegalArgumentException e) {
      return word;
    }
  }

  private void makeBuiltin() {
    var made = new BuiltinBusybox(content, layers).make();
    try {
      names.put(BuiltinBusybox.NAME, made);
    } catch (IOException e) {
      throw new ImageException(
          ImageException.Kind.INTERNAL,
          "name image '" + BuiltinBusybox.NAME + "'",
          String.valueOf(e.getMessage()),
          "",
          e);
    }
  }

  /** All images, one for each name, without those that are {@link #damaged}. */
  public List<Image> all() {
    var all = new ArrayList<Image>();
    names.all().forEach((name, target) -> read(name, target, _ -> {}).ifPresent(all::add));
    return all;
  }

  /** Names of images whose manifest or config is missing or cannot be read, and why. */
  public Map<String, String> damaged() {
    var damaged = new TreeMap<String, String>();
    names.all().forEach((name, target) -> read(name, target, why -> damaged.put(name, why)));
    return damaged;
  }

  /** What was lost on this node, in sentences for its user. */
  public List<String> troubles() {
    var troubles = new ArrayList<String>(names.damage().stream().toList());
    damaged().forEach((name, why) -> troubles.add("image '" + name + "' is damaged: " + why));
    return troubles;
  }

  private Optional<Image> read(String name, Descriptor target, Consumer<String> trouble) {
    try {
      return Optional.of(image(name, target));
    } catch (ImageException e) {
      trouble.accept(String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  /**
   * Reads an image.
   *
   * @throws ImageException {@code NOT_FOUND} when a part of it is missing or damaged
   */
  private Image image(String name, Descriptor target) {
    Manifest manifest;
    ImageConfig config;
    try {
      manifest = Json.read(content.read(target.digest()), Manifest.class);
      config = Json.read(content.read(manifest.config().digest()), ImageConfig.class);
    } catch (JsonException | IllegalArgumentException e) {
      throw new ImageException(
          ImageException.Kind.NOT_FOUND,
          "read image '" + name + "'",
          "it is damaged: " + e.getMessage(),
          "remove it, then pull or load it again",
          e);
    }
    return new Image(
        name,
        target,
        manifest.config().digest(),
        config,
        Image.ChainId.of(config.rootfs().diffIds()),
        manifest.layers().stream().mapToLong(Descriptor::size).sum());
  }

  /**
   * Gives an image a further name.
   *
   * @throws ImageException {@code NOT_FOUND}
   */
  public void tag(String word, String name) throws IOException {
    names.put(fullName(name), get(word).target());
  }

  /**
   * The image of a name or id.
   *
   * @throws ImageException {@code NOT_FOUND}
   */
  public Image get(String word) {
    return find(word)
        .orElseThrow(() ->
            new ImageException(
                ImageException.Kind.NOT_FOUND,
                "find image '" + word + "'",
                "it is not on this node",
                "see 'caisson images'"));
  }

  /**
   * Removes a name, short or full; answers whether it was there. The content stays until it is
   * pruned.
   */
  public boolean remove(String name) throws IOException {
    return names.remove(name) || names.remove(fullName(name));
  }

  /**
   * Loads all images of an archive: an OCI layout or what {@code docker save} writes, compressed or
   * not. Reads it once, in constant memory.
   *
   * @throws ImageException {@code INVALID}; nothing is loaded then
   */
  public Loaded load(InputStream archive) {
    return load(arriving -> arriving.load(archive));
  }

  /**
   * Loads all images of an OCI layout that lies in a directory; like {@link #load(InputStream)}.
   */
  public Loaded load(Path layout) {
    return load(arriving -> arriving.load(layout));
  }

  /**
   * What was loaded.
   *
   * @param names of an image without a name its digest
   * @param warnings what is worth telling the user
   */
  public record Loaded(List<String> names, List<String> warnings) {
    /** Copies what could change under it. */
    public Loaded {
      names = List.copyOf(names);
      warnings = List.copyOf(warnings);
    }
  }

  /** Where images come from. */
  private interface Arrival {
    List<ArchiveImport.Loaded> of(ArchiveImport arriving) throws IOException;
  }

  private Loaded load(Arrival arrival) {
    incoming.readLock().lock();
    try {
      var unpacking = new ImageLayers(content, layers, LayerLimits.USUAL);
      var arriving = new ArchiveImport(content, unpacking, LayerLimits.USUAL);
      var loaded = new ArrayList<String>();
      for (var image : arrival.of(arriving)) {
        var imageNames =
            image.names().isEmpty() ? List.of(image.target().digest().value()) : image.names();
        for (String name : imageNames) {
          names.put(name, image.target());
          loaded.add(name);
        }
      }
      var warnings = new ArrayList<>(arriving.warnings());
      layers.warning().ifPresent(warnings::add);
      return new Loaded(loaded, warnings);
    } catch (IOException e) {
      throw new ImageException(
          ImageException.Kind.INTERNAL, "load an archive", String.valueOf(e.getMessage()), "", e);
    } finally {
      incoming.readLock().unlock();
    }
  }

  /** Begins to take in an image from elsewhere. */
  public Intake intake() throws IOException {
    return new Intake(content, names, layers);
  }

  /**
   * The manifest of an image that is there.
   *
   * @return its bytes as they were made
   */
  public byte[] manifest(Image image) {
    return content.read(image.target().digest());
  }

  /** Whether nothing of an image is missing: no blob, no part of one, and no unpacked layer. */
  public boolean isWhole(Image image) throws IOException {
    if (!content.has(image.target())) {
      return false;
    }
    var manifest = Json.read(content.read(image.target().digest()), Manifest.class);
    for (Descriptor blob : manifest.layers()) {
      if (!content.has(blob)) {
        return false;
      }
    }
    return content.has(manifest.config()) && image.layers().stream().allMatch(layers::has);
  }

  /** Opens a blob of an image that is there. */
  public InputStream open(Digest digest) throws IOException {
    return Files.newInputStream(content.path(digest));
  }

  /** Keeps an image's content from being pruned, even when it loses its names. */
  public Lease lease(Image image) throws IOException {
    return content.lease(blobs(image));
  }

  /** Formats of {@link #save}. */
  public enum Format {
    /** An OCI layout as one tar archive. */
    OCI,
    /** What {@code docker load} reads. */
    DOCKER
  }

  /**
   * Writes images as one archive, in constant memory. The same images give the same bytes.
   *
   * @throws ImageException {@code NOT_FOUND} before anything is written
   * @throws IOException of {@code archive}
   */
  public void save(List<String> words, Format format, OutputStream archive) throws IOException {
    incoming.readLock().lock();
    try {
      var images = words.stream().map(this::get).toList();
      switch (format) {
        case OCI -> ArchiveExport.writeLayout(content, images, archive);
        case DOCKER -> ArchiveExport.writeDocker(content, images, archive);
      }
    } finally {
      incoming.readLock().unlock();
    }
  }

  /**
   * Writes images as an OCI layout into a directory, beside those that one there has already.
   *
   * @throws ImageException {@code NOT_FOUND} before anything is written, {@code INVALID} for a
   *     directory that holds something else
   */
  public void save(List<String> words, Path layout) throws IOException {
    incoming.readLock().lock();
    try {
      ArchiveExport.writeLayout(content, words.stream().map(this::get).toList(), layout);
    } finally {
      incoming.readLock().unlock();
    }
  }

  /**
   * What {@link #prune} removed.
   *
   * @param names of images
   * @param blobs that no image has any more
   * @param bytes given back, of blobs and unpacked layers
   */
  public record Pruned(List<String> names, List<Digest> blobs, long bytes) {}

  /**
   * Removes content and layers that no name leads to, but nothing of an image that is on its way
   * in; what broken pulls left goes as well. Waits for archives that are read or written.
   *
   * @param unused decides which names go first
   * @param usedLayers layers that stay although no name leads to them, because containers use them
   */
  public Pruned prune(Predicate<Image> unused, Set<Image.ChainId> usedLayers) throws IOException {
    incoming.writeLock().lock();
    // What is leased is asked before the names: an image gets its name before its lease ends.
    try (var pruning = content.prune()) {
      var removedNames = new ArrayList<String>();
      var keptBlobs = new HashSet<>(pruning.leased());
      var keptLayers = new HashSet<>(usedLayers);
      for (Image image : all()) {
        if (unused.test(image)) {
          names.remove(image.name());
          removedNames.add(image.name());
        } else {
          keptBlobs.addAll(blobs(image));
          keptLayers.addAll(image.layers());
        }
      }
      long bytes = content.removePartial(pruning.leased());
      var removedBlobs = new ArrayList<Digest>();
      for (Digest digest : content.all()) {
        if (!keptBlobs.contains(digest)) {
          bytes += content.remove(digest);
          removedBlobs.add(digest);
        }
      }
      return new Pruned(removedNames, removedBlobs, bytes + layers.prune(keptLayers).bytes());
    } finally {
      incoming.writeLock().unlock();
    }
  }

  private Set<Digest> blobs(Image image) {
    var blobs = new HashSet<Digest>();
    blobs.add(image.target().digest());
    blobs.add(image.id());
    Json.read(content.read(image.target().digest()), Manifest.class)
        .layers()
        .forEach(layer -> blobs.add(layer.digest()));
    return blobs;
  }
}
