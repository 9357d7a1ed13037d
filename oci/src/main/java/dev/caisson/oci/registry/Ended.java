package dev.caisson.oci.registry;

import dev.caisson.oci.ImageException;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** Waits for work of other threads and fails as it failed. */
final class Ended {
  private Ended() {}

  /**
   * Returns when the work has ended well.
   *
   * @throws ImageException as the work threw it
   * @throws IOException as the work threw it
   * @throws InterruptedException if the work was, or this thread is
   */
  static void await(Future<?> work) throws IOException, InterruptedException {
    try {
      work.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      if (e.getCause() instanceof InterruptedException failure) {
        throw failure;
      }
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException("a transfer failed", e.getCause());
    }
  }
}
