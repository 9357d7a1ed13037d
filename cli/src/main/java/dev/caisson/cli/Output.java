package dev.caisson.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Where text goes, in UTF-8 whatever the locale says. Buffered until {@link #flush}. Safe for use
 * by many threads.
 */
final class Output {
  private static final int BUFFER = 8 << 10;

  private final OutputStream target;
  private final byte[] buffer = new byte[BUFFER]; // guarded by this
  private int length; // guarded by this

  Output(OutputStream target) {
    this.target = target;
  }

  static Output standard() {
    return new Output(new FileOutputStream(FileDescriptor.out));
  }

  static Output errors() {
    return new Output(new FileOutputStream(FileDescriptor.err));
  }

  /** Writes text that is known to be harmless. */
  Output print(String text) {
    write(text.getBytes(StandardCharsets.UTF_8));
    return this;
  }

  /** Writes a line that is known to be harmless. */
  Output line(String text) {
    return print(text + "\n");
  }

  /** Writes bytes unchanged. */
  synchronized void write(byte[] bytes) {
    if (bytes.length > buffer.length - length) {
      flush();
    }
    if (bytes.length > buffer.length) {
      send(bytes, bytes.length);
    } else {
      System.arraycopy(bytes, 0, buffer, length, bytes.length);
      length += bytes.length;
    }
  }

  /** Sends on what was printed. */
  synchronized void flush() {
    int full = length;
    length = 0;
    if (full > 0) {
      send(buffer, full);
    }
  }

  /** The stream below, for copying bytes; what was printed before goes first. */
  OutputStream raw() {
    flush();
    return target;
  }

  private void send(byte[] bytes, int count) {
    try {
      target.write(bytes, 0, count);
      target.flush();
    } catch (IOException e) {
      throw new OutputLostException(e);
    }
  }
}
