package dev.caisson.engine.streams;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What is under way with a process's spools; see the package's primer. A file of two entries of 12
 * bytes: size of the log before the batch (8) and length of the batch (4), which is 0 when the
 * spool is empty. A batch that is in the log whole has the size -1: others may have written behind
 * it, so the log must not be cut any more. In a run directory, without fsync: each entry is one
 * write to memory of the kernel, which a killed program cannot leave half done.
 */
final class Journal implements AutoCloseable {
  private static final int ENTRY = 12;
  private static final long LOGGED = -1;

  private final FileChannel file;
  private final ByteBuffer entry = ByteBuffer.allocateDirect(ENTRY);

  private Journal(FileChannel file) {
    this.file = file;
  }

  /** A noted batch; {@code length} 0 for none. */
  record Batch(long logSize, int length) {

    /** Whether it is in the log whole. */
    boolean logged() {
      return logSize == LOGGED;
    }
  }

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

  void noteLogged(boolean error, int length) throws IOException {
    note(error, LOGGED, length);
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
