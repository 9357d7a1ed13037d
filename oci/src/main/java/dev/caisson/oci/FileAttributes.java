package dev.caisson.oci;

import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.Errno;
import dev.caisson.linux.FileKind;
import dev.caisson.linux.FileStatus;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.MountTable;
import dev.caisson.linux.OpenFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Everything of a file but its content.
 *
 * @param uid owner
 * @param gid group
 * @param mode permission, set-id and sticky bits
 * @param accessed time of the last read
 * @param modified time of the last change
 * @param extended extended attributes by key
 */
record FileAttributes(
    int uid,
    int gid,
    int mode,
    Instant accessed,
    Instant modified,
    SortedMap<String, byte[]> extended) {
  private static final String CAPABILITY = "security.capability";

  static FileAttributes of(TarEntry entry) {
    return new FileAttributes(
        (int) entry.uid(),
        (int) entry.gid(),
        entry.mode(),
        entry.modified(),
        entry.modified(),
        wanted(entry.attributes()));
  }

  /** Of {@code name} in a directory. */
  static FileAttributes read(DirectoryHandle directory, String name) throws KernelException {
    var extended = new TreeMap<String, byte[]>();
    for (String key : directory.attributeKeys(name)) {
      directory.attribute(name, key).ifPresent(value -> extended.put(key, value));
    }
    return of(directory.status(name), extended);
  }

  /** Of a directory itself. */
  static FileAttributes read(DirectoryHandle directory) throws KernelException {
    var extended = new TreeMap<String, byte[]>();
    for (String key : directory.attributeKeys()) {
      directory.attribute(key).ifPresent(value -> extended.put(key, value));
    }
    return of(directory.status(), extended);
  }

  private static FileAttributes of(FileStatus status, SortedMap<String, byte[]> extended) {
    return new FileAttributes(
        status.uid(),
        status.gid(),
        status.mode(),
        status.accessed(),
        status.modified(),
        wanted(extended));
  }

  /**
   * Labels belong to the machine that wrote them, and overlay's own attributes would let an image
   * point the kernel at files of its choice.
   */
  private static SortedMap<String, byte[]> wanted(Map<String, byte[]> all) {
    var wanted = new TreeMap<>(all);
    wanted
        .keySet()
        .removeIf(key ->
            key.equals("security.selinux")
                || key.startsWith("trusted.overlay.")
                || key.startsWith("user.overlay."));
    return wanted;
  }

  /** For a directory that no layer describes: 0755, root, no time. */
  static FileAttributes ofMissingParent() {
    return new FileAttributes(0, 0, 0755, Instant.EPOCH, Instant.EPOCH, new TreeMap<>());
  }

  /** Sets all of it: the owner first, since that clears set-id bits and capabilities. */
  void apply(DirectoryHandle directory, String name, FileKind kind, Warnings warnings)
      throws IOException {
    try {
      directory.chown(name, uid, gid);
    } catch (KernelException e) {
      withoutRight(e, warnings);
    }
    if (kind != FileKind.SYMBOLIC_LINK) {
      directory.chmod(name, mode);
    }
    for (var attribute : extended.entrySet()) {
      try {
        directory.setAttribute(name, attribute.getKey(), attribute.getValue());
      } catch (KernelException e) {
        notStored(e, directory + "/" + name, attribute.getKey(), directory, warnings);
      }
    }
    directory.setTimes(name, accessed, modified);
  }

  /** The same for a file that is open. */
  void apply(DirectoryHandle directory, String name, OpenFile file, Warnings warnings)
      throws IOException {
    try {
      file.chown(uid, gid);
    } catch (KernelException e) {
      withoutRight(e, warnings);
    }
    file.chmod(mode);
    for (var attribute : extended.entrySet()) {
      try {
        directory.setAttribute(name, attribute.getKey(), attribute.getValue());
      } catch (KernelException e) {
        notStored(e, directory + "/" + name, attribute.getKey(), directory, warnings);
      }
    }
    file.setTimes(accessed, modified);
  }

  /** The same for a directory itself. */
  void apply(DirectoryHandle directory, Warnings warnings) throws IOException {
    try {
      directory.chown(uid, gid);
    } catch (KernelException e) {
      withoutRight(e, warnings);
    }
    directory.chmod(mode);
    for (var attribute : extended.entrySet()) {
      try {
        directory.setAttribute(attribute.getKey(), attribute.getValue());
      } catch (KernelException e) {
        notStored(e, directory.toString(), attribute.getKey(), directory, warnings);
      }
    }
    directory.setTimes(accessed, modified);
  }

  private static void withoutRight(KernelException failure, Warnings warnings)
      throws KernelException {
    if (failure.errno() != Errno.EPERM) {
      throw failure;
    }
    warnings.once("owner", "without root, all files belong to this user: " + failure.getMessage());
  }

  private static void notStored(
      KernelException failure,
      String path,
      String key,
      DirectoryHandle directory,
      Warnings warnings)
      throws IOException {
    switch (failure.errno()) {
      case EOPNOTSUPP, EPERM -> {}
      default -> throw failure;
    }
    String kind = key.equals(CAPABILITY) ? key : key.replaceFirst("\\..*", "");
    var mount =
        MountTable.read()
            .holding(Path.of(directory.currentPath()))
            .map(m -> m.type() + " on '" + m.target() + "'")
            .orElse("file system");
    warnings.once(
        kind,
        "attribute '" + key + "' of '" + path + "' is lost: the " + mount + " cannot hold it");
  }
}
