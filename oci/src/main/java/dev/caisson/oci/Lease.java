package dev.caisson.oci;

import dev.caisson.linux.LockFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;

/**
 * Keeps content or layers from being pruned, those not made yet too, until it is closed or its
 * process ends.
 */
public final class Lease implements AutoCloseable {
  private final Leases leases;
  private final Path file;
  private final LockFile lock;

  Lease(Leases leases, Path file, LockFile lock) {
    this.leases = leases;
    this.file = file;
    this.lock = lock;
  }

  /** Takes more under this lease. */
  void extend(Collection<String> names) throws IOException {
    leases.extend(file, names);
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(file);
    lock.close();
  }
}
