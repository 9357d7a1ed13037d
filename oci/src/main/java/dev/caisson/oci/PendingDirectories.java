package dev.caisson.oci;

import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.Errno;
import dev.caisson.linux.KernelException;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What directories get when all their children are there: times, which every new child changes, and
 * mode, owner and attributes, which could stand in the children's way.
 */
final class PendingDirectories {
  /** Both kinds know where the directory was and which one it was. */
  private sealed interface Pending {
    String path();

    /** Everything is as the layer says. */
    record Described(String path, FileAttributes attributes) implements Pending {}

    /** The directory was there before and gets its times back. */
    record Touched(String path, Instant accessed, Instant modified) implements Pending {}
  }

  private final Map<Long, Pending> byInode = new LinkedHashMap<>();

  /** The layer has an entry for the directory, or makes it. */
  void describe(long inode, String path, FileAttributes attributes) {
    byInode.put(inode, new Pending.Described(path, attributes));
  }

  /** A file is made in the directory. */
  void touch(DirectoryHandle directory, String path) throws KernelException {
    var status = directory.status();
    byInode.putIfAbsent(
        status.inode(), new Pending.Touched(path, status.accessed(), status.modified()));
  }

  /** Sets everything; directories that were replaced meanwhile are passed over. */
  void finish(DirectoryHandle root, Warnings warnings) throws IOException {
    for (var entry : byInode.entrySet()) {
      var pending = entry.getValue();
      try (var directory = root.descend(pending.path())) {
        if (directory.status().inode() != entry.getKey()) {
          continue;
        }
        switch (pending) {
          case Pending.Described(_, var attributes) -> attributes.apply(directory, warnings);
          case Pending.Touched(_, var accessed, var modified) ->
              directory.setTimes(accessed, modified);
        }
      } catch (KernelException e) {
        if (e.errno() != Errno.ENOENT && e.errno() != Errno.ENOTDIR) {
          throw e;
        }
      }
    }
  }
}
