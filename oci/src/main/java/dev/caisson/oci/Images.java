package dev.caisson.oci;

import dev.caisson.json.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The images of a state root. Safe for use by many threads. */
public final class Images {
  private static final int SHORTEST_ID = 4;

  private final ContentStore content;
  private final ImageNames names;
  private final LayerStore layers;

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
    if (word.equals(BuiltinBusybox.NAME) && names.find(word).isEmpty()) {
      makeBuiltin();
    }
    var named = names.find(word);
    if (named.isPresent()) {
      return Optional.of(image(word, named.get()));
    }
    var id = word.startsWith("sha256:") ? word.substring("sha256:".length()) : word;
    return id.length() < SHORTEST_ID
        ? Optional.empty()
        : all().stream().filter(image -> image.id().hex().startsWith(id)).findFirst();
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

  /** All images, one for each name. */
  public List<Image> all() {
    var all = new ArrayList<Image>();
    names.all().forEach((name, target) -> all.add(image(name, target)));
    return all;
  }

  private Image image(String name, Descriptor target) {
    var manifest = Json.read(content.read(target.digest()), Manifest.class);
    var config = Json.read(content.read(manifest.config().digest()), ImageConfig.class);
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
    names.put(name, get(word).target());
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

  /** Removes a name; answers whether it was there. The content stays until it is pruned. */
  public boolean remove(String name) throws IOException {
    return names.remove(name);
  }
}
