package dev.caisson.daemon;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.caisson.library.CaissonException;
import dev.caisson.library.Reason;
import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Connections that carry image archives: expected under a token by one call, opened by another.
 * Thread-safe.
 */
final class ArchiveStreams {
  private static final long OPEN_LIMIT_SECONDS = 30;
  private static final int BUFFER = 256 << 10;

  private final Map<String, CompletableFuture<Fd>> expected = new HashMap<>(); // guarded by this

  /** Makes a token for a connection that is to come. */
  synchronized String expect() {
    var token = Names.newId();
    expected.put(token, new CompletableFuture<>());
    return token;
  }

  /** Waits for the connection of a token. */
  Fd await(String token) throws IOException {
    CompletableFuture<Fd> coming;
    synchronized (this) {
      coming = Optional.ofNullable(expected.get(token)).orElseThrow(ArchiveStreams::unknown);
    }
    try {
      return coming.get(OPEN_LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (TimeoutException e) {
      throw new IOException("the client did not open the archive's stream", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("never completed exceptionally", e);
    } finally {
      synchronized (this) {
        expected.remove(token);
      }
    }
  }

  /** Hands over the connection of a token. */
  synchronized void open(String token, Fd socket) {
    Optional.ofNullable(expected.get(token)).orElseThrow(() -> unknown()).complete(socket);
  }

  /** Fails when nobody expects a connection under a token. */
  synchronized void check(String token) {
    if (!expected.containsKey(token)) {
      throw unknown();
    }
  }

  private static CaissonException unknown() {
    return new CaissonException(
        Reason.NOT_FOUND, "open a stream", "nobody expects an archive", "call again");
  }

  /** Bytes that come in over a socket. One thread's. */
  @SuppressWarnings("MustBeClosedChecker") // the arena closes with the stream
  static InputStream in(Fd socket) {
    return new InputStream() {
      private final Arena arena = Arena.ofShared();
      private final MemorySegment buffer = arena.allocate(BUFFER);
      private long from;
      private long to;

      @Override
      public int read() throws IOException {
        return fill() ? buffer.get(JAVA_BYTE, from++) & 0xff : -1;
      }

      @Override
      public int read(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
          return 0;
        }
        if (!fill()) {
          return -1;
        }
        int n = (int) Math.min(length, to - from);
        MemorySegment.copy(buffer, JAVA_BYTE, from, bytes, offset, n);
        from += n;
        return n;
      }

      private boolean fill() throws KernelException {
        if (from == to) {
          from = 0;
          to = socket.read(buffer);
        }
        return to > 0;
      }

      @Override
      public void close() {
        socket.close();
        if (arena.scope().isAlive()) {
          arena.close();
        }
      }
    };
  }

  /** Bytes that go out over a socket. One thread's. */
  @SuppressWarnings("MustBeClosedChecker") // the arena closes with the stream
  static OutputStream out(Fd socket) {
    return new OutputStream() {
      private final Arena arena = Arena.ofShared();
      private final MemorySegment buffer = arena.allocate(BUFFER);

      @Override
      public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        for (int done = 0; done < length; ) {
          int n = Math.min(BUFFER, length - done);
          MemorySegment.copy(bytes, offset + done, buffer, JAVA_BYTE, 0, n);
          socket.write(buffer.asSlice(0, n));
          done += n;
        }
      }

      @Override
      public void close() {
        socket.close();
        if (arena.scope().isAlive()) {
          arena.close();
        }
      }
    };
  }
}
