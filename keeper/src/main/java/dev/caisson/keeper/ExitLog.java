package dev.caisson.keeper;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The exits on disk: records of fixed size, each appended by one write, newest last. It needs no
 * fsync, since a power cut ends all the processes it could tell of.
 *
 * <p>Bounded: when the file is full the older half is dropped, under a temporary name that is then
 * renamed over it. Half a file is {@value #MOST_RECORDS} / 2 exits, far more than can happen
 * between an exit and the daemon's reading of it.
 */
final class ExitLog implements AutoCloseable {
  static final int MOST_RECORDS = 65_536;
  private static final String FILE = "exits.log";

  private final Path file;
  private final int most;
  private final ByteBuffer record = ByteBuffer.allocateDirect(ExitRecord.SIZE);
  private FileChannel channel;
  private int count;

  private ExitLog(Path file, int most, FileChannel channel) throws IOException {
    this.file = file;
    this.most = most;
    this.channel = channel;
    this.count = (int) (channel.size() / ExitRecord.SIZE);
    cutTorn();
  }

  /** Opens the log of a run directory for appending. */
  static ExitLog open(Path directory, int most) throws IOException {
    var file = directory.resolve(FILE);
    return new ExitLog(file, most, append(file));
  }

  private static FileChannel append(Path file) throws IOException {
    return FileChannel.open(
        file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
  }

  void add(ExitRecord exit) throws IOException {
    if (count >= most) {
      dropOlderHalf();
    }
    record.clear();
    exit.writeTo(record);
    if (channel.write(record.flip()) < ExitRecord.SIZE) {
      cutTorn();
      throw new IOException("append to '" + file + "': no room for a whole record");
    }
    count++;
  }

  /** What follows a torn record would be read from the wrong place. */
  private void cutTorn() throws IOException {
    channel.truncate((long) count * ExitRecord.SIZE);
  }

  private void dropOlderHalf() throws IOException {
    var kept = ByteBuffer.allocateDirect(most / 2 * ExitRecord.SIZE);
    try (var old = FileChannel.open(file, StandardOpenOption.READ)) {
      old.read(kept, old.size() - kept.capacity());
    }
    var next = file.resolveSibling(FILE + ".new");
    Files.deleteIfExists(next);
    try (var fresh = append(next)) {
      kept.flip();
      while (kept.hasRemaining()) {
        fresh.write(kept);
      }
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    channel.close();
    channel = append(file);
    count = most / 2;
  }

  /**
   * All exits on disk, oldest first; a torn one at the end of a crashed keeper's file is passed
   * over.
   */
  static List<ExitRecord> read(Path directory) throws IOException {
    var file = directory.resolve(FILE);
    var exits = new ArrayList<ExitRecord>();
    if (!Files.exists(file)) {
      return exits;
    }
    var bytes = ByteBuffer.wrap(Files.readAllBytes(file));
    while (bytes.remaining() >= ExitRecord.SIZE) {
      var exit = ExitRecord.readFrom(bytes);
      if (exit != null) {
        exits.add(exit);
      }
    }
    return exits;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
