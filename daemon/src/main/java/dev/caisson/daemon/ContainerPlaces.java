package dev.caisson.daemon;

import dev.caisson.linux.DirectoryHandle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Where things of a container are, by its id.
 *
 * @param run what does not survive a reboot
 * @param store records and what stays with them
 */
record ContainerPlaces(Path run, ContainerStore store) {
  /** Removes them all; what is not there is no failure. */
  void remove(String id) throws IOException {
    removeTree(rootfs(id));
    removeTree(bundle(id));
    removeTree(store.directoryOf(id));
  }

  private static void removeTree(Path path) throws IOException {
    if (!Files.exists(path)) {
      return;
    }
    try (var parent = DirectoryHandle.open(Objects.requireNonNull(path.getParent(), "a root"))) {
      parent.removeTree(path.getFileName().toString());
    }
  }

  /** Where its root is mounted. */
  Path rootfs(String id) {
    return run.resolve("rootfs").resolve(id);
  }

  /** Where the low-level runtime reads its specification. */
  Path bundle(String id) {
    return run.resolve("bundles").resolve(id);
  }

  /** Where what it writes is kept. */
  Path logFile(String id) {
    return store.directoryOf(id).resolve("log");
  }

  /** Its group in each hierarchy. */
  static String cgroup(String id) {
    return "/caisson/" + id;
  }
}
