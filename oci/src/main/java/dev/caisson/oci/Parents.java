package dev.caisson.oci;

import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.Errno;
import dev.caisson.linux.FileKind;
import dev.caisson.linux.KernelException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Finds the directory that an entry belongs into, making what is missing.
 *
 * <p>Links are followed with the layer's root as "/", those of lower layers too. A missing
 * directory is made as the lower layers describe it, else 0755 and root's. The last one stays open,
 * since entries mostly come directory by directory. For one thread.
 */
final class Parents implements AutoCloseable {
  private static final int MOST_LINKS = 40;

  /**
   * An open directory of the layer.
   *
   * @param handle it; owned by {@link Parents} and closed with the next search
   * @param path where it is, from the root, clean and without links; "" for the root
   */
  record Parent(DirectoryHandle handle, String path) {
    /** The path of a name in it. */
    String of(String name) {
      return path.isEmpty() ? name : path + "/" + name;
    }
  }

  private final DirectoryHandle root;
  private final String rootPath;
  private final LowerLayers lowers;
  private final PendingDirectories pending;
  private String cachedFor = "";
  private Parent cached;

  Parents(DirectoryHandle root, LowerLayers lowers, PendingDirectories pending)
      throws KernelException {
    this.root = root;
    this.rootPath = root.currentPath();
    this.lowers = lowers;
    this.pending = pending;
    this.cached = new Parent(root.duplicate(), "");
  }

  /** Forgets the open directory, because something was removed that it may lie behind. */
  void forget() throws KernelException {
    cached.handle().close();
    cachedFor = "";
    cached = new Parent(root.duplicate(), "");
  }

  Parent find(EntryPath entry) throws IOException {
    String wanted = entry.parent();
    if (!wanted.equals(cachedFor)) {
      var found = open(entry.parents(), wanted);
      cached.handle().close();
      cached = found;
      cachedFor = wanted;
      pending.touch(found.handle(), found.path());
    }
    return cached;
  }

  private Parent open(List<String> parents, String wanted) throws IOException {
    try {
      var handle = root.descend(wanted);
      return new Parent(handle, pathOf(handle));
    } catch (KernelException e) {
      return switch (e.errno()) {
        case ENOENT, ENOTDIR -> make(parents, wanted);
        default -> throw e;
      };
    }
  }

  private String pathOf(DirectoryHandle handle) throws KernelException {
    String path = handle.currentPath();
    return path.length() <= rootPath.length() ? "" : path.substring(rootPath.length() + 1);
  }

  private Parent make(List<String> parents, String wanted) throws IOException {
    Deque<String> ahead = new ArrayDeque<>(parents);
    var here = new Parent(root.duplicate(), "");
    int links = 0;
    try {
      while (!ahead.isEmpty()) {
        String name = ahead.pop();
        var target = name.equals("..") ? upFrom(here) : linkAt(here, name);
        if (!target.isEmpty()) {
          if (++links > MOST_LINKS + parents.size()) {
            throw new KernelException("follow '" + wanted + "'", "openat", Errno.ELOOP.number());
          }
          push(ahead, target);
          if (target.startsWith("/")) {
            here.handle().close();
            here = new Parent(root.duplicate(), "");
          }
          continue;
        }
        var next = enter(here, name);
        here.handle().close();
        here = next;
      }
      return here;
    } catch (IOException | RuntimeException e) {
      here.handle().close();
      throw e;
    }
  }

  /** Going up is starting again at the root with all names but the last. */
  private static String upFrom(Parent here) {
    int slash = here.path().lastIndexOf('/');
    return slash < 0 ? "/" : "/" + here.path().substring(0, slash);
  }

  private static void push(Deque<String> ahead, String target) {
    var parts = new ArrayList<>(List.of(target.split("/")));
    parts.removeIf(part -> part.isEmpty() || part.equals("."));
    parts.reversed().forEach(ahead::push);
  }

  /** The target if a link has this name here or in the lower layers, otherwise "". */
  private String linkAt(Parent here, String name) throws IOException {
    var own = here.handle().find(name);
    if (own.isPresent()) {
      return own.get().kind() == FileKind.SYMBOLIC_LINK ? here.handle().readLink(name) : "";
    }
    return lowers
        .find(
            here.of(name),
            (directory, last, status) ->
                status.kind() == FileKind.SYMBOLIC_LINK ? directory.readLink(last) : "")
        .orElse("");
  }

  private Parent enter(Parent here, String name) throws IOException {
    String path = here.of(name);
    var existing = here.handle().find(name);
    if (existing.isEmpty()) {
      var attributes =
          lowers
              .find(
                  path,
                  (directory, last, status) ->
                      status.isDirectory()
                          ? FileAttributes.read(directory, last)
                          : FileAttributes.ofMissingParent())
              .orElseGet(FileAttributes::ofMissingParent);
      pending.touch(here.handle(), here.path());
      here.handle().makeDirectory(name, 0700);
      pending.describe(here.handle().status(name).inode(), path, attributes);
    }
    return new Parent(here.handle().child(name), path);
  }

  @Override
  public void close() {
    cached.handle().close();
  }
}
