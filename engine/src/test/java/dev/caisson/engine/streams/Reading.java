package dev.caisson.engine.streams;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A client that reads until the end, on a thread of its own. */
final class Reading {
  private final CompletableFuture<byte[]> all = new CompletableFuture<>();

  private Reading() {}

  static Reading of(Fd socket) {
    var reading = new Reading();
    Thread.ofPlatform().daemon().start(() -> reading.run(socket));
    return reading;
  }

  private void run(Fd socket) {
    var bytes = new ByteArrayOutputStream();
    try (var arena = Arena.ofConfined()) {
      var chunk = arena.allocate(64 << 10);
      for (long got; (got = socket.read(chunk)) > 0; ) {
        bytes.writeBytes(chunk.asSlice(0, got).toArray(JAVA_BYTE));
      }
      all.complete(bytes.toByteArray());
    } catch (KernelException | RuntimeException e) {
      all.completeExceptionally(e);
    }
  }

  byte[] bytes() throws Exception {
    return all.get(60, TimeUnit.SECONDS);
  }
}
