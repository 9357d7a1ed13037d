package dev.caisson.daemon;

import dev.caisson.json.Json;
import dev.caisson.library.CaissonException;
import dev.caisson.library.ImageSummary;
import dev.caisson.library.Images.ArchiveFormat;
import dev.caisson.library.Images.Loaded;
import dev.caisson.library.Images.Pruned;
import dev.caisson.library.Reason;
import dev.caisson.oci.Image;
import dev.caisson.oci.ImageException;
import dev.caisson.oci.Images;
import dev.caisson.oci.Platform;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The library's calls on images. */
final class NodeImages {
  private final Images images;

  NodeImages(Images images) {
    this.images = images;
  }

  /**
   * The image a container is made from.
   *
   * @param platform the one it must be for, if that matters
   */
  Image forContainer(String word, Optional<String> platform) {
    var wanted = platform.map(Platform::parse);
    var found =
        images
            .find(word)
            .orElseThrow(() ->
                notFound(
                    word,
                    "it is not on this node",
                    "see 'caisson images'; 'builtin/busybox' needs no registry"));
    var own = Platform.of(found.config());
    if (wanted.isPresent() && own.isPresent() && !wanted.get().accepts(own.get())) {
      throw notFound(
          word,
          "the one on this node is for '" + own.get() + "', wanted is '" + wanted.get() + "'",
          "pull it with --platform");
    }
    return found;
  }

  private static CaissonException notFound(String word, String found, String advice) {
    return new CaissonException(Reason.NOT_FOUND, "find image '" + word + "'", found, advice);
  }

  List<ImageSummary> list() {
    return images.all().stream()
        .map(image ->
            new ImageSummary(
                image.id().value(),
                image.name(),
                image.digest().value(),
                image.config().created(),
                image.bytes(),
                images.layers().unpackedBytes(image.layers())))
        .toList();
  }

  Map<String, Object> inspect(String word) {
    var image = images.get(word);
    var tree = new LinkedHashMap<String, Object>();
    tree.put("id", image.id().value());
    tree.put("name", image.name());
    tree.put("digest", image.digest().value());
    tree.put("target", Json.tree(image.target()));
    tree.put("bytes", image.bytes());
    tree.put("unpackedBytes", images.layers().unpackedBytes(image.layers()));
    tree.put("warnings", images.layers().warning().stream().toList());
    tree.put("config", Json.tree(image.config()));
    return tree;
  }

  void tag(String word, String name) {
    try {
      images.tag(word, name);
    } catch (IOException e) {
      throw new CaissonException(
          Reason.INTERNAL, "tag image '" + word + "'", String.valueOf(e.getMessage()), "", e);
    }
  }

  /**
   * Removes a name.
   *
   * @param inUse ids of images that containers are made from
   */
  List<String> remove(String word, boolean force, Set<String> inUse) {
    Image image;
    try {
      image = images.get(word);
    } catch (ImageException e) {
      return removeDamaged(word, e);
    }
    var last = images.all().stream().filter(other -> other.id().equals(image.id())).count() == 1;
    if (last && !force && inUse.contains(image.id().value())) {
      throw new CaissonException(
          Reason.WRONG_STATE,
          "remove image '" + word + "'",
          "a container is made from it",
          "remove the container first, or use --force");
    }
    try {
      images.remove(image.name());
      return List.of(image.name());
    } catch (IOException e) {
      throw new CaissonException(
          Reason.INTERNAL, "remove image '" + word + "'", String.valueOf(e.getMessage()), "", e);
    }
  }

  /** A name whose image is lost can still be removed. */
  private List<String> removeDamaged(String word, ImageException why) {
    try {
      if (images.remove(word)) {
        return List.of(word);
      }
      throw why;
    } catch (IOException e) {
      throw new CaissonException(
          Reason.INTERNAL, "remove image '" + word + "'", String.valueOf(e.getMessage()), "", e);
    }
  }

  Loaded load(InputStream archive) {
    return loaded(images.load(archive));
  }

  Loaded load(Path layout) {
    return loaded(images.load(checked(layout)));
  }

  private static Loaded loaded(Images.Loaded loaded) {
    return new Loaded(loaded.names(), loaded.warnings());
  }

  void save(List<String> names, Path layout) {
    try {
      images.save(names, checked(layout));
    } catch (IOException e) {
      throw new CaissonException(
          Reason.INTERNAL, "save into '" + layout + "'", String.valueOf(e.getMessage()), "", e);
    }
  }

  /** A relative path would mean another directory here than at the client's. */
  private static Path checked(Path layout) {
    if (!layout.isAbsolute()) {
      throw new CaissonException(
          Reason.INVALID,
          "use '" + layout + "'",
          "it is no absolute path",
          "name it from the root");
    }
    return layout;
  }

  /** Fails when one of the images is not there. */
  void check(List<String> names) {
    names.forEach(images::get);
  }

  void save(List<String> names, ArchiveFormat format, OutputStream archive) throws IOException {
    images.save(
        names,
        switch (format) {
          case OCI -> Images.Format.OCI;
          case DOCKER -> Images.Format.DOCKER;
        },
        archive);
  }

  /**
   * Removes content that no name leads to, and with {@code all} first the names that no container
   * uses.
   *
   * @param imagesInUse ids of images that containers are made from
   * @param layersInUse chain ids that containers are mounted from
   */
  Pruned prune(boolean all, Set<String> imagesInUse, Set<String> layersInUse) {
    try {
      var pruned =
          images.prune(
              image -> all && !imagesInUse.contains(image.id().value()),
              layersInUse.stream().map(Image.ChainId::new).collect(Collectors.toSet()));
      var removed = new ArrayList<>(pruned.names());
      pruned.blobs().forEach(digest -> removed.add(digest.value()));
      return new Pruned(removed, pruned.bytes());
    } catch (IOException e) {
      throw new CaissonException(
          Reason.INTERNAL, "prune images", String.valueOf(e.getMessage()), "", e);
    }
  }

  static CaissonException translate(ImageException e) {
    var reason =
        switch (e.kind()) {
          case NOT_FOUND -> Reason.NOT_FOUND;
          case INVALID -> Reason.INVALID;
          case IN_USE -> Reason.WRONG_STATE;
          case UNAVAILABLE -> Reason.UNAVAILABLE;
          case DENIED -> Reason.DENIED;
          case INTERNAL -> Reason.INTERNAL;
        };
    return new CaissonException(reason, e.tried(), e.found(), e.advice(), e);
  }
}
