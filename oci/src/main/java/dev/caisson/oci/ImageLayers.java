package dev.caisson.oci;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Unpacks the layers of an image whose content is in the store, one after the other, since a layer
 * is understood with those below it.
 */
final class ImageLayers {
  /** Layers that archives of other systems leave to the reader; they hold nothing. */
  private static final Set<String> FOREIGN =
      Set.of("application/vnd.docker.image.rootfs.foreign.diff.tar.gzip");

  private final ContentStore content;
  private final LayerStore layers;
  private final LayerLimits limits;

  ImageLayers(ContentStore content, LayerStore layers, LayerLimits limits) {
    this.content = content;
    this.layers = layers;
    this.limits = limits;
  }

  /** Blobs that are all in the store. */
  Intake.Blobs stored() {
    return layer -> Files.newInputStream(content.path(layer.digest()));
  }

  /**
   * Unpacks what is not unpacked.
   *
   * @return what is worth telling the user
   * @throws ImageException {@code INVALID} naming layer and offset for a damaged layer, {@code
   *     UNAVAILABLE} without space on the disk
   */
  List<String> unpack(
      String image,
      Manifest manifest,
      ImageConfig config,
      Intake.Blobs blobs,
      Intake.Progress progress) {
    var diffIds = config.rootfs().diffIds();
    if (diffIds.size() != manifest.layers().size()) {
      throw new ImageException(
          ImageException.Kind.INVALID,
          "unpack image '" + image + "'",
          "its manifest has " + manifest.layers().size() + " layers, its config " + diffIds.size(),
          "");
    }
    var chain = Image.ChainId.of(diffIds);
    var warnings = new ArrayList<String>();
    try (var _ = layers.lease(chain)) {
      for (int i = 0; i < chain.size(); i++) {
        var layer = manifest.layers().get(i);
        if (!layers.has(chain.get(i))) {
          checkSpace(image, layer);
          LayerStore.Source source =
              () -> {
                var stream = blobs.open(layer);
                progress.unpacking(layer);
                return stream;
              };
          unpackOne(chain.subList(0, i), chain.get(i), diffIds.get(i), layer, source)
              .ifPresent(outcome -> warnings.addAll(outcome.warnings()));
        }
        progress.unpacked(layer);
      }
      return warnings;
    } catch (DamagedLayerException e) {
      throw new ImageException(
          ImageException.Kind.INVALID,
          "unpack image '" + image + "'",
          String.valueOf(e.getMessage()),
          "pull it again; if that does not help, the image itself is damaged",
          e);
    } catch (IOException e) {
      throw new ImageException(
          ImageException.Kind.INTERNAL,
          "unpack image '" + image + "'",
          String.valueOf(e.getMessage()),
          "",
          e);
    }
  }

  private Optional<Unpacking.Outcome> unpackOne(
      List<Image.ChainId> below,
      Image.ChainId id,
      Digest diffId,
      Descriptor layer,
      LayerStore.Source source)
      throws IOException {
    if (FOREIGN.contains(layer.mediaType())) {
      throw new DamagedLayerException(
          "layer '"
              + layer.digest()
              + "' is of the type '"
              + layer.mediaType()
              + "', which is not for Linux");
    }
    var unpacking = new Unpacking(layer.digest().value(), layer.mediaType(), limits);
    try {
      return layers.unpack(below, id, diffId, unpacking, source);
    } catch (DamagedLayerException e) {
      removeIfDamaged(layer.digest(), e);
      throw e;
    }
  }

  /** A blob that changed on the disk is removed, so that the next pull gets it again. */
  private void removeIfDamaged(Digest digest, DamagedLayerException failure) {
    try (var stream =
        new BufferedInputStream(Files.newInputStream(content.path(digest)), 1 << 16)) {
      var hash = Digest.algorithm();
      byte[] buffer = new byte[1 << 16];
      for (int count = stream.read(buffer); count >= 0; count = stream.read(buffer)) {
        hash.update(buffer, 0, count);
      }
      if (!Digest.ofHash(hash.digest()).equals(digest)) {
        Files.deleteIfExists(content.path(digest));
      }
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  private void checkSpace(String image, Descriptor layer) throws IOException {
    long available = layers.available();
    if (layer.size() > available) {
      throw new ImageException(
          ImageException.Kind.UNAVAILABLE,
          "unpack image '" + image + "'",
          "layer '"
              + layer.digest()
              + "' has "
              + layer.size()
              + " bytes, the disk only "
              + available
              + " left",
          "make space, for example with 'caisson image prune'");
    }
  }
}
