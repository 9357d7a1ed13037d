package dev.caisson.oci;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Knows how far it has been read, also for other threads. */
@SuppressWarnings("NonAtomicVolatileUpdate") // one thread reads, the others only look
public final class CountedStream extends FilterInputStream {
  private volatile long position;

  /** Counts what is read from {@code in}. */
  public CountedStream(InputStream in) {
    super(in);
  }

  /** Bytes read so far. */
  public long position() {
    return position;
  }

  @Override
  public int read() throws IOException {
    int value = in.read();
    if (value >= 0) {
      position = position + 1;
    }
    return value;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    int count = in.read(target, offset, length);
    if (count > 0) {
      position = position + count;
    }
    return count;
  }

  @Override
  public long skip(long count) throws IOException {
    long skipped = in.skip(count);
    position = position + skipped;
    return skipped;
  }

  @Override
  public boolean markSupported() {
    return false;
  }
}
