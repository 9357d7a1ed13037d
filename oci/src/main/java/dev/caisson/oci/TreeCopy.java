package dev.caisson.oci;

import dev.caisson.linux.Access;
import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.Errno;
import dev.caisson.linux.FileKind;
import dev.caisson.linux.FileStatus;
import dev.caisson.linux.KernelException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Copies directories with everything that belongs to files: owners, modes, times, attributes, hard
 * links, holes, devices. Follows no link. For one thread.
 */
final class TreeCopy {
  private final FileContent content;
  private final Warnings warnings;

  /** Where the copies of files with several names are, by their inode. */
  private final Map<Long, List<String>> linked = new HashMap<>();

  TreeCopy(FileContent content, Warnings warnings) {
    this.content = content;
    this.warnings = warnings;
  }

  /** Copies all that is in {@code from} into the empty directory {@code to}, and its attributes. */
  void copyTree(DirectoryHandle from, DirectoryHandle to) throws IOException {
    copyChildren(from, to, to, new ArrayList<>());
  }

  private void copyChildren(
      DirectoryHandle from, DirectoryHandle to, DirectoryHandle top, List<String> path)
      throws IOException {
    for (var entry : from.entries()) {
      String name = entry.name();
      path.add(name);
      if (entry.kind() == FileKind.DIRECTORY) {
        to.makeDirectory(name, 0700);
        try (var source = from.child(name);
            var target = to.child(name)) {
          copyChildren(source, target, top, path);
        }
      } else {
        copyOrLink(from, name, to, top, path);
      }
      path.removeLast();
    }
    FileAttributes.read(from).apply(to, warnings);
  }

  private void copyOrLink(
      DirectoryHandle from, String name, DirectoryHandle to, DirectoryHandle top, List<String> path)
      throws IOException {
    var status = from.status(name);
    var first = status.links() > 1 ? linked.get(status.inode()) : null;
    if (first != null) {
      try (var directory = top.descend(String.join("/", first.subList(0, first.size() - 1)))) {
        to.hardLink(name, directory, first.getLast());
      }
      return;
    }
    copyFile(from, name, status, to, name);
    if (status.links() > 1) {
      linked.put(status.inode(), List.copyOf(path));
    }
  }

  /** Copies one file that is no directory. Sockets are left out. */
  void copyFile(
      DirectoryHandle from, String name, FileStatus status, DirectoryHandle to, String newName)
      throws IOException {
    var attributes = FileAttributes.read(from, name);
    switch (status.kind()) {
      case REGULAR -> {
        try (var source = from.openHere(name, Access.READ);
            var target = to.create(newName, 0600)) {
          content.copy(source, target);
          attributes.apply(to, newName, target, warnings);
        }
      }
      case SYMBOLIC_LINK -> {
        to.symbolicLink(newName, from.readLink(name));
        attributes.apply(to, newName, status.kind(), warnings);
      }
      case FIFO, CHARACTER_DEVICE, BLOCK_DEVICE -> {
        to.makeNode(newName, status.kind(), 0600, status.device());
        attributes.apply(to, newName, status.kind(), warnings);
      }
      case SOCKET -> {}
      case DIRECTORY ->
          throw new KernelException(
              "copy '" + from + "/" + name + "' as a file", "open", Errno.EISDIR.number());
    }
  }
}
