package dev.caisson.engine.streams;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What is under way with a process's spools; see the package's primer. A file of two entries of 12
 * bytes: size of the log before the batch (8) and length of the batch (4), which is 0 when the
 * spool is empty. In a run directory, without fsync.
 */
final class Journal implements AutoCloseable {
  private static final int ENTRY = 12;

  private final FileChannel file;
  private final ByteBuffer entry = ByteBuffer.allocateDirect(ENTRY);

  private Journal(FileChannel file) {
    this.file = file;
  }

  /** A noted batch; {@code length} 0 for none. */
  record Batch(long logSize, int length) {}

  static Journal open(Path path) throws IOException {
    return new Journal(
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE));
  }

  void note(boolean error, long logSize, int length) throws IOException {
    entry.clear();
    entry.putLong(logSize).putInt(length).flip();
    file.write(entry, error ? ENTRY : 0);
  }

  Batch read(boolean error) throws IOException {
    entry.clear();
    int got = file.read(entry, error ? ENTRY : 0);
    entry.flip();
    return got < ENTRY ? new Batch(0, 0) : new Batch(entry.getLong(), entry.getInt());
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
