package dev.caisson.oci;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * A stream that another thread reads ahead of its reader, so that decompression and unpacking run
 * at the same time.
 *
 * <p>A failure of the other thread reaches the reader at the place where the data end. Everything
 * that passes is hashed. For one reader; close it to end the thread.
 */
final class ChunkPipe extends InputStream {
  private static final int CHUNK = 256 * 1024;
  private static final int AHEAD = 8;

  /** Data in the order of the stream; then one of the two ends. */
  private sealed interface Piece {
    record Data(byte[] bytes, int length) implements Piece {}

    record End() implements Piece {}

    record Failure(IOException cause) implements Piece {}
  }

  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final InputStream source;
  private final InputStream origin;
  private final MessageDigest hash;
  private final BlockingQueue<Piece> ready = new ArrayBlockingQueue<>(AHEAD);
  private final BlockingQueue<byte[]> free = new ArrayBlockingQueue<>(AHEAD + 2);
  private final Thread producer;
  private Piece.Data current = new Piece.Data(new byte[0], 0);
  private int offset;
  private boolean ended;
  private volatile boolean closed;

  /**
   * Begins to read.
   *
   * @param source what is read
   * @param origin the stream that {@code source} itself reads from, to be closed where the thread
   *     waits in it for data that nobody wants any more
   * @param hash of all that passes
   * @param name for the thread
   */
  ChunkPipe(InputStream source, InputStream origin, MessageDigest hash, String name) {
    this.source = source;
    this.origin = origin;
    this.hash = hash;
    this.producer = Thread.ofPlatform().daemon().name("unpack-" + name).start(this::produce);
  }

  private void produce() {
    try {
      Piece last;
      try {
        copyChunks();
        last = new Piece.End();
      } catch (IOException e) {
        last = new Piece.Failure(e);
      } catch (RuntimeException e) {
        last = new Piece.Failure(new IOException("read ahead: " + e.getMessage(), e));
      }
      ready.put(last);
    } catch (InterruptedException e) {
      // The reader has closed its end and wants no more.
      Thread.currentThread().interrupt();
    }
  }

  private void copyChunks() throws IOException, InterruptedException {
    while (!closed) {
      byte[] chunk = free.poll();
      if (chunk == null) {
        chunk = new byte[CHUNK];
      }
      int length = source.readNBytes(chunk, 0, CHUNK);
      if (length == 0) {
        return;
      }
      ready.put(new Piece.Data(chunk, length));
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] target, int at, int length) throws IOException {
    if (offset == current.length() && !advance()) {
      return -1;
    }
    int count = Math.min(length, current.length() - offset);
    System.arraycopy(current.bytes(), offset, target, at, count);
    offset += count;
    return count;
  }

  private boolean advance() throws IOException {
    if (ended) {
      return false;
    }
    if (current.bytes().length > 0) {
      free.offer(current.bytes());
    }
    switch (take()) {
      case Piece.Data data -> {
        current = data;
        offset = 0;
        hash.update(data.bytes(), 0, data.length());
        return true;
      }
      case Piece.End _ -> {
        ended = true;
        current = new Piece.Data(new byte[0], 0);
        offset = 0;
        return false;
      }
      case Piece.Failure(IOException cause) ->
          throw new DamagedLayerException(String.valueOf(cause.getMessage()), cause);
    }
  }

  private Piece take() throws InterruptedIOException {
    try {
      return ready.take();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while unpacking");
    }
  }

  /**
   * Ends the thread and closes the source. A thread that waits for data that do not come is freed
   * by closing the origin; where that does not help, it ends with its stream.
   */
  @Override
  public void close() throws IOException {
    closed = true;
    producer.interrupt();
    if (!hasEnded()) {
      origin.close();
      if (!hasEnded()) {
        return;
      }
    }
    source.close();
  }

  private boolean hasEnded() {
    boolean interrupted = false;
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (producer.isAlive() && System.nanoTime() - deadline < 0) {
      try {
        producer.join(PATIENCE);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !producer.isAlive();
  }
}
