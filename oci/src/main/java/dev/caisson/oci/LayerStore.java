package dev.caisson.oci;

import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.Errno;
import dev.caisson.linux.Existing;
import dev.caisson.linux.FileSystemStatus;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.LockFile;
import dev.caisson.linux.Mount;
import dev.caisson.linux.MountTable;
import dev.caisson.linux.Overlay;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Unpacked layers, shared by all images and containers that have them, and the roots mounted from
 * them.
 *
 * <p>A layer is made in a directory of its own, synchronised, and renamed to its name, so it is
 * there whole or not at all; what a crash left is swept when the store is opened. Several threads
 * and processes may use a store: a layer is made once, the others wait for it. {@link #prune}
 * removes layers except those it is told of and those under a {@link Lease}.
 *
 * <p>Below the directory: {@code <chain id>} or {@code copied-<chain id>} for each layer, {@code
 * incoming/} for what is being made or removed, {@code sizes/}, {@code locks/}, {@code leases/}.
 */
public final class LayerStore {
  private static final int HEX_LENGTH = 64;
  private static final String COPIED_PREFIX = "copied-";

  private final Path directory;
  private final Path incoming;
  private final Path locks;
  private final Leases leases;
  private final LayerForm form;
  private final LayerSizes sizes;

  private LayerStore(Path directory, LayerForm form) {
    this.directory = directory;
    this.incoming = directory.resolve("incoming");
    this.locks = directory.resolve("locks");
    this.leases = new Leases(directory.resolve("leases"), locks.resolve("store"));
    this.form = form;
    this.sizes = new LayerSizes(directory.resolve("sizes"), this::path);
  }

  /** Opens a store, making its directory where needed, and tries how layers can lie in it. */
  public static LayerStore open(Path directory) throws IOException {
    for (String name : List.of("incoming", "locks", "leases")) {
      Files.createDirectories(directory.resolve(name));
    }
    return open(directory, LayerForm.detect(directory.resolve("incoming")));
  }

  static LayerStore open(Path directory, LayerForm form) throws IOException {
    for (String name : List.of("incoming", "locks", "leases")) {
      Files.createDirectories(directory.resolve(name));
    }
    var store = new LayerStore(directory, form);
    store.leases.sweep();
    store.sweep();
    return store;
  }

  /** Something to tell the user once about how layers are kept here. */
  public Optional<String> warning() {
    return form.isOverlay()
        ? Optional.empty()
        : Optional.of(
            "layers in '"
                + directory
                + "' are copied for each container, which takes time and"
                + " space: its file system or our rights do not allow overlay mounts there; put the"
                + " state root on another file system, or mount a volume there");
  }

  /** Fills the directory of a layer that is being made. */
  public interface Filling {
    /** Puts everything into the layer's directory. */
    void into(DirectoryHandle layer) throws IOException;
  }

  /** Opens a layer as it is stored, possibly compressed. */
  interface Source {
    InputStream open() throws IOException;
  }

  /**
   * Bytes on the disk of the layers of one image, as measured when each was unpacked. Where layers
   * are copied the topmost one holds all.
   *
   * @param layers lowest first
   */
  public long unpackedBytes(List<Image.ChainId> layers) {
    if (layers.isEmpty()) {
      return 0;
    }
    return form.isOverlay()
        ? new HashSet<>(layers).stream().mapToLong(sizes::of).sum()
        : sizes.of(layers.getLast());
  }

  /** Whether a layer is there. */
  boolean has(Image.ChainId id) {
    return Files.isDirectory(path(id));
  }

  private Path path(Image.ChainId id) {
    return directory.resolve(form.isOverlay() ? id.hex() : COPIED_PREFIX + id.hex());
  }

  /**
   * Unpacks a layer over those below it. Does nothing when it is there.
   *
   * @param below the layers below it, lowest first, all of them in the store
   * @param id its own name
   * @param diffId what its content must be
   * @return what came of it; empty when it was there
   * @throws DamagedLayerException naming layer and offset; nothing is left of it
   */
  Optional<Unpacking.Outcome> unpack(
      List<Image.ChainId> below,
      Image.ChainId id,
      Digest diffId,
      Unpacking unpacking,
      Source source)
      throws IOException {
    var outcomes = new ArrayList<Unpacking.Outcome>(1);
    make(
        id,
        layer -> {
          try (var packed = source.open()) {
            var outcome =
                form.isOverlay()
                    ? unpackOver(below, layer, unpacking, packed)
                    : unpackInto(below, layer, unpacking, packed);
            if (!outcome.diffId().equals(diffId)) {
              throw new DamagedLayerException(
                  "unpack layer '"
                      + unpacking.label()
                      + "': its content is "
                      + outcome.diffId()
                      + ", the image's config says "
                      + diffId);
            }
            outcomes.add(outcome);
          }
        });
    return outcomes.stream().findFirst();
  }

  private Unpacking.Outcome unpackOver(
      List<Image.ChainId> below, DirectoryHandle layer, Unpacking unpacking, InputStream packed)
      throws IOException {
    try (var lowers = LowerLayers.open(form, topmostFirst(below))) {
      return unpacking.ontoOverlay(packed, layer, form, lowers);
    }
  }

  private Unpacking.Outcome unpackInto(
      List<Image.ChainId> below, DirectoryHandle layer, Unpacking unpacking, InputStream packed)
      throws IOException {
    if (!below.isEmpty()) {
      copy(path(below.getLast()), layer);
    }
    return unpacking.ontoTree(packed, layer);
  }

  private static void copy(Path from, DirectoryHandle to) throws IOException {
    try (var source = DirectoryHandle.open(from);
        var content = new FileContent()) {
      new TreeCopy(content, new Warnings()).copyTree(source, to);
    }
  }

  /** Makes a layer; nothing is left of one that fails. Does nothing when it is there. */
  void make(Image.ChainId id, Filling filling) throws IOException {
    if (has(id)) {
      return;
    }
    var lock = locks.resolve(id.hex());
    try (var _ = LockFile.acquire(lock, LockFile.Kind.EXCLUSIVE)) {
      try {
        if (!has(id)) {
          makeLocked(id, filling);
        }
      } finally {
        // Who waits for it notices that it is gone, and finds the layer or tries itself.
        Files.deleteIfExists(lock);
      }
    }
  }

  private void makeLocked(Image.ChainId id, Filling filling) throws IOException {
    String name = id.hex() + "-" + UUID.randomUUID();
    try (var parent = DirectoryHandle.open(incoming);
        var store = DirectoryHandle.open(directory)) {
      parent.makeDirectory(name, 0700);
      try (var layer = parent.child(name)) {
        layer.chmod(0755);
        filling.into(layer);
        layer.syncFileSystem();
        parent.rename(
            name, store, path(id).getName(directory.getNameCount()).toString(), Existing.REFUSE);
        store.sync();
        sizes.measure(id);
      } catch (IOException | RuntimeException e) {
        removeAfter(e, parent, name);
        throw e;
      }
    }
  }

  private static void removeAfter(Exception failure, DirectoryHandle parent, String name) {
    try {
      parent.removeTree(name);
    } catch (KernelException second) {
      failure.addSuppressed(second);
    }
  }

  /** Bytes that can still be written here. */
  long available() throws IOException {
    return FileSystemStatus.of(directory).available();
  }

  /**
   * Mounts the root of a container: its layers, and its changes on top. Does nothing when it is
   * mounted.
   *
   * @param layers lowest first
   * @param changes directory of the container's own, for what it changes; it stays after the
   *     unmount
   * @param target where it appears
   * @throws ImageException {@code NOT_FOUND} naming a layer that is missing
   */
  public void mount(List<Image.ChainId> layers, Path changes, Path target) throws IOException {
    if (isMounted(target)) {
      return;
    }
    for (var layer : layers) {
      if (!has(layer)) {
        throw new ImageException(
            ImageException.Kind.NOT_FOUND,
            "mount a root at '" + target + "'",
            "layer '" + layer.hex() + "' is not unpacked",
            "pull the image again");
      }
    }
    Files.createDirectories(changes);
    Files.createDirectories(target);
    if (form.isOverlay()) {
      mountOverlay(layers, changes, target);
    } else {
      mountCopy(layers, changes, target);
    }
  }

  private void mountOverlay(List<Image.ChainId> layers, Path changes, Path target)
      throws IOException {
    var lowers = visible(topmostFirst(layers));
    try (var parent = DirectoryHandle.open(changes)) {
      if (parent.find("upper").isEmpty()) {
        makeUpper(parent, lowers.getFirst());
      }
      parent.makeDirectories("work", 0700).close();
    }
    var writable = new Overlay.Writable(changes.resolve("upper"), changes.resolve("work"));
    new Overlay(lowers, Optional.of(writable), form.mountOptions()).mount(target, Set.of());
  }

  /** The root of an overlay looks like its topmost directory, which is to be like the image's. */
  private static void makeUpper(DirectoryHandle changes, Path topmost) throws IOException {
    String temporary = "upper.new";
    changes.removeTree(temporary);
    changes.makeDirectory(temporary, 0755);
    try (var layer = DirectoryHandle.open(topmost);
        var upper = changes.child(temporary)) {
      FileAttributes.read(layer).apply(upper, new Warnings());
    }
    changes.rename(temporary, changes, "upper", Existing.REFUSE);
  }

  /** Leaves out what lies below a layer that hides everything in its root. */
  private List<Path> visible(List<Path> topmostFirst) throws IOException {
    var visible = new ArrayList<Path>();
    for (Path layer : topmostFirst) {
      visible.add(layer);
      try (var handle = DirectoryHandle.open(layer)) {
        if (form.isOpaque(handle)) {
          break;
        }
      }
    }
    return visible;
  }

  private void mountCopy(List<Image.ChainId> layers, Path changes, Path target) throws IOException {
    Path tree = changes.resolve("tree");
    if (!Files.isDirectory(tree)) {
      try (var parent = DirectoryHandle.open(changes)) {
        String temporary = "tree.new";
        parent.removeTree(temporary);
        parent.makeDirectory(temporary, 0755);
        try (var copy = parent.child(temporary)) {
          copy(path(layers.getLast()), copy);
        }
        parent.rename(temporary, parent, "tree", Existing.REFUSE);
      }
    }
    Mount.bind(tree, target);
  }

  private List<Path> topmostFirst(List<Image.ChainId> layers) {
    return layers.reversed().stream().map(this::path).collect(Collectors.toList());
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

  /**
   * Writes a root that is mounted, or any other directory, as one uncompressed layer; the same tree
   * gives the same bytes.
   */
  public void writeTree(Path root, OutputStream target) throws IOException {
    try (var handle = DirectoryHandle.open(root)) {
      TreeExport.writeTree(handle, target);
    }
  }

  /**
   * Writes what a container changed, as one uncompressed layer over those it was mounted from.
   *
   * @param changes as given to {@link #mount}
   * @throws ImageException {@code UNAVAILABLE} where layers are copied and changes are not kept
   *     apart
   */
  public void writeChanges(Path changes, OutputStream target) throws IOException {
    if (!form.isOverlay()) {
      throw new ImageException(
          ImageException.Kind.UNAVAILABLE,
          "write the changes in '" + changes + "'",
          "layers are copied here, so a container's changes are not kept apart",
          "write its whole root instead");
    }
    try (var upper = DirectoryHandle.open(changes.resolve("upper"))) {
      TreeExport.writeChanges(upper, form, target);
    }
  }

  // ---- what keeps layers, and what removes them

  /** Takes a lease on layers, which need not be there. */
  public Lease lease(Collection<Image.ChainId> layers) throws IOException {
    return leases.take(layers.stream().map(Image.ChainId::hex).toList());
  }

  /**
   * What {@link #prune} removed.
   *
   * @param layers names of the layers
   * @param bytes they took on the disk
   */
  public record Pruned(List<Image.ChainId> layers, long bytes) {}

  /**
   * Removes all layers but those given and those under a lease.
   *
   * @param used of images and containers
   */
  public Pruned prune(Set<Image.ChainId> used) throws IOException {
    var removed = new ArrayList<Image.ChainId>();
    long bytes = 0;
    try (var _ = leases.stop();
        var store = DirectoryHandle.open(directory);
        var target = DirectoryHandle.open(incoming)) {
      var keep = used.stream().map(Image.ChainId::hex).collect(Collectors.toSet());
      keep.addAll(leases.held());
      for (var entry : store.entries()) {
        String hex = entry.name().replaceFirst("^" + COPIED_PREFIX, "");
        if (hex.length() == HEX_LENGTH && !keep.contains(hex)) {
          bytes += LayerSizes.allocated(store, entry.name());
          sizes.forget(new Image.ChainId(hex));
          store.rename(entry.name(), target, hex + "-" + UUID.randomUUID(), Existing.REFUSE);
          removed.add(new Image.ChainId(hex));
        }
      }
    }
    sweep();
    return new Pruned(removed, bytes);
  }

  /** Removes what nobody is making: half layers that a crash left, and pruned ones. */
  private void sweep() throws IOException {
    try (var handle = DirectoryHandle.open(incoming)) {
      for (var entry : handle.entries()) {
        if (entry.name().length() <= HEX_LENGTH) {
          continue;
        }
        Path lock = locks.resolve(entry.name().substring(0, HEX_LENGTH));
        var held = LockFile.tryAcquire(lock, LockFile.Kind.EXCLUSIVE);
        if (held.isPresent()) {
          try (var _ = held.get()) {
            handle.removeTree(entry.name());
            Files.deleteIfExists(lock);
          }
        }
      }
    }
  }
}
