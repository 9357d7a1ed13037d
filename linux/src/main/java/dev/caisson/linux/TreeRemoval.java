package dev.caisson.linux;

/**
 * Removes a directory with all below it, and never anything else.
 *
 * <p>Links are removed, not followed. A mount is not entered: the removal stops there with EXDEV.
 * Uses a constant number of descriptors: what lies deeper than a limit is first moved up beside the
 * top's own children.
 */
final class TreeRemoval {
  private static final int DEEPEST = 64;

  private final DirectoryHandle top;
  private int moved;

  private TreeRemoval(DirectoryHandle top) {
    this.top = top;
  }

  /** Removes everything in {@code directory}, which itself stays. */
  static void empty(DirectoryHandle directory) throws KernelException {
    var removal = new TreeRemoval(directory);
    do {
      removal.moved = 0;
      removal.emptyAt(directory, 0);
    } while (removal.moved > 0);
  }

  private void emptyAt(DirectoryHandle directory, int depth) throws KernelException {
    for (DirectoryEntry entry : directory.entries()) {
      if (entry.kind() != FileKind.DIRECTORY) {
        directory.removeIfPresent(entry.name());
      } else if (depth < DEEPEST || !moveUp(directory, entry.name())) {
        removeDirectory(directory, entry.name(), depth);
      }
    }
  }

  private void removeDirectory(DirectoryHandle parent, String name, int depth)
      throws KernelException {
    if (parent.removeEmptyDirectory(name)) {
      return;
    }
    try (var child = parent.childWithinMount(name)) {
      emptyAt(child, depth + 1);
    }
    if (!parent.removeEmptyDirectory(name) && moved == 0) {
      throw new KernelException(
          "remove directory '" + parent + "/" + name + "'", "unlinkat", Errno.ENOTEMPTY.number());
    }
  }

  private boolean moveUp(DirectoryHandle parent, String name) throws KernelException {
    while (true) {
      try {
        parent.rename(name, top, ".removed-" + moved, Existing.REFUSE);
        moved++;
        return true;
      } catch (KernelException e) {
        if (e.errno() != Errno.EEXIST) {
          return false;
        }
        moved++;
      }
    }
  }
}
