package dev.caisson.oci;

import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.Errno;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Mount;
import dev.caisson.linux.MountFlag;
import dev.caisson.linux.MountTable;
import dev.caisson.linux.Overlay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Unpacked layers, shared by all images and containers that have them, and the roots mounted from
 * them. A layer is made in a directory of its own, synchronised, and renamed to its name, so it is
 * there whole or not at all.
 */
public final class LayerStore {
  private final Path directory;

  private LayerStore(Path directory) {
    this.directory = directory;
  }

  /** Opens a store, making its directory where needed. */
  public static LayerStore open(Path directory) throws IOException {
    Files.createDirectories(directory.resolve("incoming"));
    return new LayerStore(directory);
  }

  /** Fills the directory of a layer that is being made. */
  public interface Filling {
    /** Puts everything into the layer's directory. */
    void into(DirectoryHandle layer) throws IOException;
  }

  /** Whether a layer is there. */
  boolean has(Image.ChainId id) {
    return Files.isDirectory(directory.resolve(id.hex()));
  }

  /** Makes a layer; nothing is left of one that fails. Does nothing when it is there. */
  void make(Image.ChainId id, Filling filling) throws IOException {
    if (has(id)) {
      return;
    }
    var temporary = Files.createTempDirectory(directory.resolve("incoming"), id.hex());
    try (var handle = DirectoryHandle.open(temporary)) {
      handle.chmod(0755);
      filling.into(handle);
      handle.syncFileSystem();
      Files.move(temporary, directory.resolve(id.hex()), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | RuntimeException e) {
      try (var parent = DirectoryHandle.open(temporary.getParent())) {
        parent.removeTree(temporary.getFileName().toString());
      } catch (KernelException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
  }

  /**
   * Mounts the root of a container: its layers, and its changes on top. Does nothing when it is
   * mounted.
   *
   * @param layers lowest first
   * @param changes directory of the container's own, for its upper and work directories
   * @param target where it appears
   */
  public void mount(List<Image.ChainId> layers, Path changes, Path target) throws IOException {
    if (isMounted(target)) {
      return;
    }
    var upper = Files.createDirectories(changes.resolve("upper"));
    var work = Files.createDirectories(changes.resolve("work"));
    Files.createDirectories(target);
    var topmostFirst = new ArrayList<Path>();
    for (var layer : layers.reversed()) {
      topmostFirst.add(directory.resolve(layer.hex()));
    }
    new Overlay(topmostFirst, Optional.of(new Overlay.Writable(upper, work)), Set.of())
        .mount(target, Set.<MountFlag>of());
  }

  /** Unmounts a root; harmless when it is not mounted. */
  public void unmount(Path target) throws IOException {
    try {
      Mount.detach(target);
    } catch (KernelException e) {
      if (e.errno() != Errno.EINVAL && e.errno() != Errno.ENOENT) {
        throw e;
      }
    }
  }

  private static boolean isMounted(Path target) throws IOException {
    return MountTable.read().at(target).isPresent();
  }
}
