package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * An open directory, and everything done below it without ever leaving it.
 *
 * <p>Two kinds of arguments. A <em>path</em> is resolved with this directory as "/": links in it
 * are followed but stay inside, whoever swaps directories and links meanwhile ({@link #descend},
 * {@link #makeDirectories}, {@link #open(String, Access)}). A <em>name</em> is one component that
 * stands right in this directory and is never followed if it is a link; "", ".", ".." and names
 * with "/" are refused with {@link IllegalArgumentException}. Names are text as {@link ByteText}
 * reads it.
 *
 * <p>Opened files are close-on-exec and never block (a fifo without a reader fails with ENXIO).
 * Failures are {@link KernelException}s that name directory and file. Safe for use by many threads
 * except for closing. Source: openat2(2) and the calls ending in "at".
 */
public final class DirectoryHandle implements AutoCloseable {
  private static final Syscall OPENAT =
      Syscall.variadic("openat", 3, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
  private static final Syscall MKDIRAT =
      Syscall.of("mkdirat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
  private static final Syscall MKNODAT =
      Syscall.of("mknodat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_LONG);
  private static final Syscall SYMLINKAT =
      Syscall.of("symlinkat", JAVA_INT, ADDRESS, JAVA_INT, ADDRESS);
  private static final Syscall LINKAT =
      Syscall.of("linkat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT);
  private static final Syscall UNLINKAT =
      Syscall.of("unlinkat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
  private static final Syscall RENAMEAT2 =
      Syscall.of("renameat2", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT);
  private static final Syscall FCHOWNAT =
      Syscall.of("fchownat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT);
  private static final Syscall FCHMODAT =
      Syscall.of("fchmodat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
  private static final Syscall UTIMENSAT =
      Syscall.of("utimensat", JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);
  private static final Syscall FSYNC = Syscall.of("fsync", JAVA_INT, JAVA_INT);
  private static final Syscall SYNCFS = Syscall.of("syncfs", JAVA_INT, JAVA_INT);

  private final Fd fd;
  private final String shown;

  private DirectoryHandle(Fd fd, String shown) {
    this.fd = fd;
    this.shown = shown;
  }

  /** Opens a directory of the host by its path, following links as the kernel does. */
  public static DirectoryHandle open(Path path) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      long number =
          OPENAT.callThroughSignals(
              "open directory '" + path + "'",
              At.CURRENT_DIRECTORY,
              ByteText.allocate(arena, path.toAbsolutePath().toString()),
              At.O_RDONLY | At.O_DIRECTORY | At.O_CLOEXEC,
              0);
      return new DirectoryHandle(new Fd((int) number), path.toString());
    }
  }

  /** The descriptor; stays owned by this object. */
  public Fd fd() {
    return fd;
  }

  /**
   * Where the directory is now, as the kernel tells it: absolute and without links.
   *
   * @throws KernelException EINVAL or ENOENT without /proc
   */
  public String currentPath() throws KernelException {
    try (var descriptors = open(Path.of("/proc/self/fd"))) {
      return descriptors.readLink(Integer.toString(fd.number()));
    }
  }

  /** Another handle of the same directory. */
  public DirectoryHandle duplicate() throws KernelException {
    return new DirectoryHandle(fd.duplicate(), shown);
  }

  // ---- paths, with this directory as "/"

  /**
   * Opens the directory that {@code path} leads to.
   *
   * @throws KernelException ENOENT, ENOTDIR, ELOOP
   */
  public DirectoryHandle descend(String path) throws KernelException {
    Fd found = new Descent(fd, shown).open(path, At.O_RDONLY | At.O_DIRECTORY);
    return new DirectoryHandle(found, below(path));
  }

  /**
   * Opens the directory that {@code path} leads to, making the missing ones with {@code mode} (less
   * the process's umask). Where a link leads to nothing, its target is made.
   */
  public DirectoryHandle makeDirectories(String path, int mode) throws KernelException {
    Fd made = new Descent(fd, shown).makeDirectories(path, mode);
    return new DirectoryHandle(made, below(path));
  }

  /** Opens the existing file that {@code path} leads to. */
  public OpenFile open(String path, Access access) throws KernelException {
    int flags = access.flags() | At.O_NONBLOCK | At.O_NOCTTY;
    return new OpenFile(new Descent(fd, shown).open(path, flags), below(path));
  }

  // ---- names in this directory

  /** Opens a directory right here; ELOOP or ENOTDIR if it is a link. */
  public DirectoryHandle child(String name) throws KernelException {
    Fd found = Descent.openOne(fd, checked(name), At.O_RDONLY | At.O_DIRECTORY, below(name));
    return new DirectoryHandle(found, below(name));
  }

  /** Opens a directory right here unless another file system is mounted there: EXDEV then. */
  public DirectoryHandle childWithinMount(String name) throws KernelException {
    Fd found = Descent.openWithinMount(fd, checked(name), below(name));
    return new DirectoryHandle(found, below(name));
  }

  /** Opens an existing file right here; ELOOP if it is a link. */
  public OpenFile openHere(String name, Access access) throws KernelException {
    int flags = access.flags() | At.O_NONBLOCK | At.O_NOCTTY;
    return new OpenFile(Descent.openOne(fd, checked(name), flags, below(name)), below(name));
  }

  /** Makes a new file, open for reading and writing; EEXIST if the name is taken. */
  public OpenFile create(String name, int mode) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      long number =
          OPENAT.callThroughSignals(
              "create '" + below(name) + "'",
              fd.number(),
              text(arena, name),
              At.O_RDWR | At.O_CREAT | At.O_EXCL | At.O_NOFOLLOW | At.O_CLOEXEC,
              mode);
      return new OpenFile(new Fd((int) number), below(name));
    }
  }

  /** Makes a directory; EEXIST if the name is taken. */
  public void makeDirectory(String name, int mode) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      MKDIRAT.call("make directory '" + below(name) + "'", fd.number(), text(arena, name), mode);
    }
  }

  /**
   * Makes a fifo, a device file or an empty file.
   *
   * @throws KernelException EPERM for a device without the right to make one
   */
  public void makeNode(String name, FileKind kind, int mode, DeviceNumber device)
      throws KernelException {
    try (var arena = Arena.ofConfined()) {
      MKNODAT.call(
          "make "
              + kind.name().toLowerCase(Locale.ROOT).replace('_', ' ')
              + " '"
              + below(name)
              + "'",
          fd.number(),
          text(arena, name),
          kind.bits() | mode,
          device.encoded());
    }
  }

  /** Makes a symbolic link; its target is any text. */
  public void symbolicLink(String name, String target) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      SYMLINKAT.call(
          "make link '" + below(name) + "'",
          ByteText.allocate(arena, target),
          fd.number(),
          text(arena, name));
    }
  }

  /**
   * Gives the file {@code source} in {@code from} a second name here; a link itself if it is one.
   */
  public void hardLink(String name, DirectoryHandle from, String source) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      LINKAT.call(
          "link '" + below(name) + "' to '" + from.below(source) + "'",
          from.fd.number(),
          from.text(arena, source),
          fd.number(),
          text(arena, name),
          0);
    }
  }

  /** Moves {@code name} to {@code newName} in {@code target}, in one step. */
  public void rename(String name, DirectoryHandle target, String newName, Existing existing)
      throws KernelException {
    try (var arena = Arena.ofConfined()) {
      RENAMEAT2.call(
          "rename '" + below(name) + "' to '" + target.below(newName) + "'",
          fd.number(),
          text(arena, name),
          target.fd.number(),
          target.text(arena, newName),
          existing.flags());
    }
  }

  /** Where the link {@code name} points to; EINVAL if it is no link. */
  public String readLink(String name) throws KernelException {
    return Descent.readLink(fd, checked(name), below(name));
  }

  /** Status of {@code name}, of a link itself. */
  public FileStatus status(String name) throws KernelException {
    return FileStatus.at(fd.number(), checked(name), below(name));
  }

  /** Status of {@code name}, empty if there is no such file. */
  public Optional<FileStatus> find(String name) throws KernelException {
    try {
      return Optional.of(status(name));
    } catch (KernelException e) {
      if (e.errno() == Errno.ENOENT) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Status of this directory. */
  public FileStatus status() throws KernelException {
    return FileStatus.of(fd, shown);
  }

  /** Sets the owner of {@code name}. Clears set-id bits and capabilities of files. */
  public void chown(String name, int uid, int gid) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      FCHOWNAT.call(
          "set the owner of '" + below(name) + "'",
          fd.number(),
          text(arena, name),
          uid,
          gid,
          At.SYMLINK_NOFOLLOW);
    }
  }

  /** Sets the owner of this directory. */
  public void chown(int uid, int gid) throws KernelException {
    new OpenFile(fd, shown).chown(uid, gid);
  }

  /**
   * Sets the mode of {@code name}; ELOOP if it is a link, which has no mode.
   *
   * <p>The kernel's call follows links before 6.6, so the file is opened first without following
   * and changed through that descriptor.
   */
  public void chmod(String name, int mode) throws KernelException {
    try (var arena = Arena.ofConfined();
        var file = Descent.openOne(fd, checked(name), At.O_PATH, below(name))) {
      String action = "set the mode of '" + below(name) + "'";
      if (FileStatus.of(file, below(name)).kind() == FileKind.SYMBOLIC_LINK) {
        throw new KernelException(action, FCHMODAT.name(), Errno.ELOOP.number());
      }
      var path = ByteText.allocate(arena, "/proc/self/fd/" + file.number());
      FCHMODAT.call(action, At.CURRENT_DIRECTORY, path, mode, 0);
    }
  }

  /** Sets the mode of this directory. */
  public void chmod(int mode) throws KernelException {
    new OpenFile(fd, shown).chmod(mode);
  }

  /** Sets both times of {@code name}, of a link itself. */
  public void setTimes(String name, Instant accessed, Instant modified) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      UTIMENSAT.call(
          "set the times of '" + below(name) + "'",
          fd.number(),
          text(arena, name),
          TimePair.allocate(arena, accessed, modified),
          At.SYMLINK_NOFOLLOW);
    }
  }

  /** Sets both times of this directory. */
  public void setTimes(Instant accessed, Instant modified) throws KernelException {
    new OpenFile(fd, shown).setTimes(accessed, modified);
  }

  /**
   * Sets an extended attribute of {@code name}, of a link itself.
   *
   * @throws KernelException EOPNOTSUPP if the file system has none of this kind, EPERM without the
   *     right to set it, ENOSPC or E2BIG if it is too large
   */
  public void setAttribute(String name, String key, byte[] value) throws KernelException {
    attributes(name).set(key, value);
  }

  /** An extended attribute of {@code name}; empty if it has none. */
  public Optional<byte[]> attribute(String name, String key) throws KernelException {
    return attributes(name).get(key);
  }

  /** The keys of the extended attributes of {@code name}. */
  public List<String> attributeKeys(String name) throws KernelException {
    return attributes(name).keys();
  }

  /** Removes an extended attribute of {@code name}; ENODATA if there is none. */
  public void removeAttribute(String name, String key) throws KernelException {
    attributes(name).remove(key);
  }

  /** Sets an extended attribute of this directory. */
  public void setAttribute(String key, byte[] value) throws KernelException {
    ownAttributes().set(key, value);
  }

  /** An extended attribute of this directory; empty if it has none. */
  public Optional<byte[]> attribute(String key) throws KernelException {
    return ownAttributes().get(key);
  }

  /** The keys of the extended attributes of this directory. */
  public List<String> attributeKeys() throws KernelException {
    return ownAttributes().keys();
  }

  private ExtendedAttributes attributes(String name) {
    return new ExtendedAttributes(fd.number(), checked(name), below(name));
  }

  private ExtendedAttributes ownAttributes() {
    return new ExtendedAttributes(fd.number(), ".", shown);
  }

  /** The names in this directory without "." and "..", in the kernel's order. */
  public List<DirectoryEntry> entries() throws KernelException {
    return DirectoryListing.read(fd, shown);
  }

  /** Removes a file or link; ENOENT if there is none, EISDIR if it is a directory. */
  public void remove(String name) throws KernelException {
    unlink(name, 0);
  }

  /** Removes a file or link; returns whether there was one. */
  public boolean removeIfPresent(String name) throws KernelException {
    try {
      unlink(name, 0);
      return true;
    } catch (KernelException e) {
      if (e.errno() == Errno.ENOENT) {
        return false;
      }
      throw e;
    }
  }

  /** Removes a directory if it is empty; returns false if it is not. */
  public boolean removeEmptyDirectory(String name) throws KernelException {
    try {
      unlink(name, At.REMOVE_DIRECTORY);
      return true;
    } catch (KernelException e) {
      if (e.errno() == Errno.ENOTEMPTY || e.errno() == Errno.EEXIST) {
        return false;
      }
      throw e;
    }
  }

  /**
   * Removes {@code name}, if it is there, with everything below it. Follows no link and enters no
   * mount.
   *
   * @throws KernelException EXDEV or EBUSY if something is mounted at or below it; part of the tree
   *     may be gone then
   */
  public void removeTree(String name) throws KernelException {
    var status = find(name);
    if (status.isEmpty()) {
      return;
    }
    if (!status.get().isDirectory()) {
      removeIfPresent(name);
      return;
    }
    if (!removeEmptyDirectory(name)) {
      try (var child = childWithinMount(name)) {
        TreeRemoval.empty(child);
      }
      unlink(name, At.REMOVE_DIRECTORY);
    }
  }

  /** Removes everything in this directory, which itself stays; as {@link #removeTree}. */
  public void removeChildren() throws KernelException {
    TreeRemoval.empty(this);
  }

  private void unlink(String name, int flags) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      UNLINKAT.call("remove '" + below(name) + "'", fd.number(), text(arena, name), flags);
    }
  }

  /** Waits until the names in this directory are on the disk. */
  public void sync() throws KernelException {
    FSYNC.callThroughSignals("write directory '" + shown + "' to the disk", fd.number());
  }

  /** Waits until all of the file system that this directory lies on is on the disk. */
  public void syncFileSystem() throws KernelException {
    SYNCFS.callThroughSignals("write the file system of '" + shown + "' to the disk", fd.number());
  }

  @Override
  public void close() {
    fd.close();
  }

  /** The path it was opened by, for messages. */
  @Override
  public String toString() {
    return shown;
  }

  private String below(String name) {
    return name.startsWith("/") ? shown + name : shown + "/" + name;
  }

  private MemorySegment text(Arena arena, String name) {
    return ByteText.allocate(arena, checked(name));
  }

  private static String checked(String name) {
    if (name.isEmpty() || name.equals(".") || name.equals("..") || name.indexOf('/') >= 0) {
      throw new IllegalArgumentException(
          "file name '" + name + "': one component is wanted, without '/', not '.' or '..'");
    }
    return name;
  }
}
