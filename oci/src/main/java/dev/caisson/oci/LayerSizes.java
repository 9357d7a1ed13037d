package dev.caisson.oci;

import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.KernelException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/**
 * What each layer takes on the disk, measured once and kept as a number in a file of its name. Only
 * for showing: what cannot be written is measured again another time. Thread-safe.
 */
final class LayerSizes {
  private final Path directory;
  private final Function<Image.ChainId, Path> places;
  private final ConcurrentMap<Image.ChainId, Long> known = new ConcurrentHashMap<>();

  /**
   * Makes sizes that are kept in a directory.
   *
   * @param places where a layer is
   */
  LayerSizes(Path directory, Function<Image.ChainId, Path> places) {
    this.directory = directory;
    this.places = places;
  }

  /** Bytes of a layer; 0 for one that is not there. */
  long of(Image.ChainId id) {
    var bytes = known.get(id);
    if (bytes != null) {
      return bytes;
    }
    try {
      long read = Long.parseLong(Files.readString(directory.resolve(id.hex())).strip());
      known.put(id, read);
      return read;
    } catch (IOException | NumberFormatException e) {
      return measure(id);
    }
  }

  /** Measures a layer that is whole. */
  long measure(Image.ChainId id) {
    var place = places.apply(id);
    long bytes;
    try (var parent =
        DirectoryHandle.open(Objects.requireNonNull(place.getParent(), "a layer's place"))) {
      bytes = allocated(parent, String.valueOf(place.getFileName()));
    } catch (IOException e) {
      return 0;
    }
    known.put(id, bytes);
    var file = directory.resolve(id.hex());
    try {
      Files.createDirectories(directory);
      Files.writeString(file, bytes + "\n");
    } catch (IOException full) {
      forgetFile(file);
    }
    return bytes;
  }

  /** Forgets a layer that is removed. */
  void forget(Image.ChainId id) {
    known.remove(id);
    forgetFile(directory.resolve(id.hex()));
  }

  private static void forgetFile(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // A number more than needed; the layer is measured again if it comes back.
    }
  }

  /** Bytes on the disk of all that is below a directory; a file with several names counts once. */
  static long allocated(DirectoryHandle parent, String name) throws KernelException {
    long bytes = 0;
    try (var directory = parent.child(name)) {
      for (var entry : directory.entries()) {
        var status = directory.status(entry.name());
        bytes += status.isDirectory() ? 0 : status.allocated() / status.links();
        if (status.isDirectory()) {
          bytes += allocated(directory, entry.name());
        }
      }
    }
    return bytes;
  }
}
