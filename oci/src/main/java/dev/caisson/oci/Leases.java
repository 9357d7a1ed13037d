package dev.caisson.oci;

import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.LockFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * What must not be pruned although no image has it yet, across threads and processes. Each lease is
 * a file that lists names and is locked by its holder; one that nobody locks is of the dead.
 */
final class Leases {
  private final Path directory;
  private final Path lock;

  /**
   * Leases on the content of one store.
   *
   * @param lock held shared while a lease is written, exclusively while the store is pruned, so
   *     that nothing is seen in the store and leased while it is being removed
   */
  Leases(Path directory, Path lock) {
    this.directory = directory;
    this.lock = lock;
  }

  /** Takes a lease on names, which need not be there. */
  Lease take(Collection<String> names) throws IOException {
    var file = directory.resolve(UUID.randomUUID().toString());
    try (var _ = LockFile.acquire(lock, LockFile.Kind.SHARED)) {
      var held = LockFile.acquire(file, LockFile.Kind.EXCLUSIVE);
      try {
        Files.write(file, names);
        return new Lease(this, file, held);
      } catch (IOException e) {
        Files.deleteIfExists(file);
        held.close();
        throw e;
      }
    }
  }

  void extend(Path file, Collection<String> names) throws IOException {
    try (var _ = LockFile.acquire(lock, LockFile.Kind.SHARED)) {
      Files.write(file, names, StandardOpenOption.APPEND);
    }
  }

  /** Keeps others from taking leases, for the time of a prune. */
  LockFile stop() throws IOException {
    return LockFile.acquire(lock, LockFile.Kind.EXCLUSIVE);
  }

  /** Removes the leases of the dead. */
  void sweep() throws IOException {
    try (var _ = stop()) {
      var _ = held();
    }
  }

  /** The names under leases whose holders live; leases of the dead are removed. */
  Set<String> held() throws IOException {
    var held = new HashSet<String>();
    try (var handle = DirectoryHandle.open(directory)) {
      for (var entry : handle.entries()) {
        Path file = directory.resolve(entry.name());
        var taken = LockFile.tryAcquire(file, LockFile.Kind.EXCLUSIVE);
        if (taken.isPresent()) {
          Files.deleteIfExists(file);
          taken.get().close();
        } else {
          held.addAll(names(file));
        }
      }
    }
    return held;
  }

  /** None if its holder gave it back since it was seen. */
  private static List<String> names(Path file) throws IOException {
    try {
      return Files.readAllLines(file);
    } catch (NoSuchFileException e) {
      return List.of();
    }
  }
}
