package dev.caisson.oci;

import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.Errno;
import dev.caisson.linux.FileKind;
import dev.caisson.linux.FileStatus;
import dev.caisson.linux.KernelException;
import java.io.IOException;

/**
 * Puts the entries of one layer into a directory and nowhere else.
 *
 * <p>Two uses: a fresh directory, to be laid over those of the lower layers ({@link #ontoOverlay}),
 * and a directory that holds the lower layers already ({@link #ontoTree}). The last of several
 * entries with the same path wins. Times of directories are set by {@link #finish}. For one thread.
 */
final class LayerWriter implements AutoCloseable {
  private static final String MARK = ".wh.";
  private static final String PRIVATE_MARK = ".wh..wh.";
  private static final String OPAQUE_MARK = ".wh..wh..opq";

  private final DirectoryHandle root;
  private final LowerLayers lowers;
  private final Whiteouts whiteouts;
  private final PendingDirectories pending = new PendingDirectories();
  private final Parents parents;
  private final FileContent content = new FileContent();
  private final Warnings warnings;

  private LayerWriter(
      DirectoryHandle root, LowerLayers lowers, Whiteouts whiteouts, Warnings warnings)
      throws KernelException {
    this.root = root;
    this.lowers = lowers;
    this.whiteouts = whiteouts;
    this.warnings = warnings;
    this.parents = new Parents(root, lowers, pending);
  }

  /** Writes into an empty directory; {@code lowers} stays the caller's. */
  static LayerWriter ontoOverlay(
      DirectoryHandle root, LayerForm form, LowerLayers lowers, Warnings warnings)
      throws KernelException {
    var writer = new LayerWriter(root, lowers, new Whiteouts.Marks(form, lowers), warnings);
    writer.pending.describe(
        root.status().inode(), "", lowers.root().orElseGet(FileAttributes::ofMissingParent));
    return writer;
  }

  /** Writes over the tree of the lower layers. */
  static LayerWriter ontoTree(DirectoryHandle root, Warnings warnings) throws KernelException {
    var writer = new LayerWriter(root, LowerLayers.none(), new Whiteouts.Removals(), warnings);
    writer.pending.touch(root, "");
    return writer;
  }

  /** Bytes of content written, without holes. */
  long written() {
    return content.written();
  }

  /** Writes all entries of an archive. */
  void writeAll(TarReader archive) throws IOException {
    for (var entry = archive.next(); entry.isPresent(); entry = archive.next()) {
      try {
        write(archive, entry.get());
      } catch (IllegalArgumentException e) {
        throw new DamagedLayerException(
            String.valueOf(archive.damaged(String.valueOf(e.getMessage())).getMessage()), e);
      } catch (KernelException e) {
        throw isDamage(e.errno())
            ? new DamagedLayerException(
                String.valueOf(archive.damaged(String.valueOf(e.getMessage())).getMessage()), e)
            : e;
      }
    }
    finish();
  }

  /** Whether the layer's content is to blame, and not this machine. */
  private static boolean isDamage(Errno errno) {
    return switch (errno) {
      case ENOENT, ENOTDIR, ELOOP, EISDIR, ENAMETOOLONG, EEXIST, EMLINK, EINVAL -> true;
      default -> false;
    };
  }

  private void write(TarReader archive, TarEntry entry) throws IOException {
    var path = EntryPath.of(entry.path());
    if (path.isRoot()) {
      writeRoot(archive, entry);
      return;
    }
    if (path.name().startsWith(MARK)) {
      writeMark(archive, path);
      return;
    }
    if (path.parents().stream().anyMatch(part -> part.startsWith(PRIVATE_MARK))) {
      return;
    }
    var parent = parents.find(path);
    switch (entry.type()) {
      case DIRECTORY -> makeDirectory(parent, path.name(), entry);
      case HARD_LINK -> makeHardLink(archive, path, entry);
      case FILE, SYMBOLIC_LINK, CHARACTER_DEVICE, BLOCK_DEVICE, FIFO ->
          make(parent, path.name(), () -> makeFile(archive, parent, path.name(), entry));
    }
    whiteouts.wrote(parents.find(path), path.name());
  }

  private void writeRoot(TarReader archive, TarEntry entry) throws IOException {
    if (entry.type() != TarEntry.Type.DIRECTORY) {
      throw archive.damaged("the root is not a directory but " + entry.type());
    }
    pending.describe(root.status().inode(), "", FileAttributes.of(entry));
  }

  private void writeMark(TarReader archive, EntryPath path) throws IOException {
    if (path.name().equals(OPAQUE_MARK)) {
      whiteouts.hideAll(parents.find(path));
      return;
    }
    // Old storage drivers left files of their own use in layers.
    if (path.name().startsWith(PRIVATE_MARK)) {
      return;
    }
    String hidden = path.name().substring(MARK.length());
    if (hidden.isEmpty() || hidden.equals(".") || hidden.equals("..")) {
      throw archive.damaged("it deletes no file's name");
    }
    whiteouts.hide(parents.find(path), hidden);
  }

  /** One attempt to make a file under a name. */
  private interface Making {
    void run() throws IOException;
  }

  /** Makes a file; what has the name already is removed first. */
  private void make(Parents.Parent parent, String name, Making making) throws IOException {
    try {
      making.run();
    } catch (KernelException e) {
      if (e.errno() != Errno.EEXIST) {
        throw e;
      }
      parent.handle().removeTree(name);
      making.run();
    }
  }

  private void makeDirectory(Parents.Parent parent, String name, TarEntry entry)
      throws IOException {
    try {
      parent.handle().makeDirectory(name, 0700);
    } catch (KernelException e) {
      if (e.errno() != Errno.EEXIST) {
        throw e;
      }
      if (!parent.handle().status(name).isDirectory()) {
        parent.handle().removeTree(name);
        parent.handle().makeDirectory(name, 0700);
        pending.touch(parent.handle(), parent.path());
      }
    }
    pending.describe(
        parent.handle().status(name).inode(), parent.of(name), FileAttributes.of(entry));
  }

  private void makeFile(TarReader archive, Parents.Parent parent, String name, TarEntry entry)
      throws IOException {
    var directory = parent.handle();
    var attributes = FileAttributes.of(entry);
    switch (entry.type()) {
      case FILE -> {
        try (var file = directory.create(name, 0600)) {
          content.write(archive, entry, file);
          attributes.apply(directory, name, file, warnings);
        }
      }
      case SYMBOLIC_LINK -> {
        directory.symbolicLink(name, entry.target());
        attributes.apply(directory, name, FileKind.SYMBOLIC_LINK, warnings);
      }
      case FIFO -> {
        directory.makeNode(name, FileKind.FIFO, 0600, entry.device());
        attributes.apply(directory, name, FileKind.FIFO, warnings);
      }
      case CHARACTER_DEVICE -> makeDevice(directory, name, FileKind.CHARACTER_DEVICE, entry);
      case BLOCK_DEVICE -> makeDevice(directory, name, FileKind.BLOCK_DEVICE, entry);
      case DIRECTORY, HARD_LINK -> throw new IllegalStateException(entry.type().toString());
    }
  }

  private void makeDevice(DirectoryHandle directory, String name, FileKind kind, TarEntry entry)
      throws IOException {
    if (kind == FileKind.CHARACTER_DEVICE && entry.device().major() == 0) {
      warnings.once(
          "device",
          "device '"
              + entry.path()
              + "' of number "
              + entry.device()
              + " is left out: no driver"
              + " has that number");
      return;
    }
    try {
      directory.makeNode(name, kind, 0600, entry.device());
    } catch (KernelException e) {
      if (e.errno() != Errno.EPERM) {
        throw e;
      }
      warnings.once("device", "device '" + entry.path() + "' is left out: " + e.getMessage());
      return;
    }
    FileAttributes.of(entry).apply(directory, name, kind, warnings);
  }

  private void makeHardLink(TarReader archive, EntryPath path, TarEntry entry) throws IOException {
    var target = EntryPath.of(entry.target());
    if (target.isRoot()) {
      throw archive.damaged("a hard link to the root");
    }
    var source = parents.find(target);
    try (var sourceDirectory = source.handle().duplicate()) {
      var status = sourceDirectory.find(target.name());
      if (status.isEmpty() && !copyUp(source, target.name())) {
        throw archive.damaged("a hard link to '" + entry.target() + "', which is not in the image");
      }
      if (sourceDirectory.status(target.name()).isDirectory()) {
        throw archive.damaged("a hard link to the directory '" + entry.target() + "'");
      }
      var parent = parents.find(path);
      if (isSame(sourceDirectory, target.name(), parent.handle(), path.name())) {
        return;
      }
      make(
          parent,
          path.name(),
          () -> parent.handle().hardLink(path.name(), sourceDirectory, target.name()));
    }
  }

  private static boolean isSame(
      DirectoryHandle first, String firstName, DirectoryHandle second, String secondName)
      throws KernelException {
    long inode = first.status(firstName).inode();
    return second.find(secondName).filter(status -> status.inode() == inode).isPresent();
  }

  /** Copies a file of the lower layers into this one, for a hard link to it. */
  private boolean copyUp(Parents.Parent parent, String name) throws IOException {
    return lowers
        .find(
            parent.of(name),
            (directory, last, status) -> {
              copyFile(directory, last, status, parent.handle(), name);
              return true;
            })
        .isPresent();
  }

  private void copyFile(
      DirectoryHandle from, String name, FileStatus status, DirectoryHandle to, String newName)
      throws IOException {
    new TreeCopy(content, warnings).copyFile(from, name, status, to, newName);
  }

  private void finish() throws IOException {
    parents.forget();
    whiteouts.finish(root);
    pending.finish(root, warnings);
  }

  @Override
  public void close() {
    parents.close();
    content.close();
  }
}
