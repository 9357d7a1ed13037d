package dev.caisson.oci;

import dev.caisson.linux.LockFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.List;

/**
 * A blob that comes in pieces, possibly over several runs of the program. Closing keeps what is
 * there for the next time. For one thread; others wait for it when they open the same blob.
 */
public final class PartialBlob implements AutoCloseable {
  private static final int READ_BUFFER = 1 << 20;

  private final Path file;
  private final Path lockPath;
  private final LockFile lock;
  private final FileChannel channel;
  private final Digest digest;
  private final Publication publication;

  private MessageDigest hash = Digest.algorithm();
  private long position;
  private boolean continued;

  /** Gives the file its name once it is whole. */
  interface Publication {
    void of(Path file) throws IOException;
  }

  private PartialBlob(
      Path file,
      Path lockPath,
      LockFile lock,
      FileChannel channel,
      Digest digest,
      Publication publication) {
    this.file = file;
    this.lockPath = lockPath;
    this.lock = lock;
    this.channel = channel;
    this.digest = digest;
    this.publication = publication;
  }

  static PartialBlob open(Path file, Path lockPath, Digest digest, Publication publication)
      throws IOException {
    var lock = LockFile.acquire(lockPath, LockFile.Kind.EXCLUSIVE);
    try {
      var channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      try {
        var blob = new PartialBlob(file, lockPath, lock, channel, digest, publication);
        blob.takeUp();
        return blob;
      } catch (IOException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      lock.close();
      throw e;
    }
  }

  private void takeUp() throws IOException {
    var buffer = ByteBuffer.allocate(READ_BUFFER);
    while (channel.read(buffer) >= 0) {
      hash.update(buffer.flip());
      buffer.clear();
    }
    position = channel.position();
    continued = position > 0;
  }

  /** How many bytes are there. */
  public long position() {
    return position;
  }

  /** Whether some of it is of an earlier run, which a power cut may have damaged. */
  public boolean isContinued() {
    return continued;
  }

  /** Adds what came. */
  public void append(List<ByteBuffer> pieces) throws IOException {
    for (var piece : pieces) {
      position += piece.remaining();
      hash.update(piece.duplicate());
      while (piece.hasRemaining()) {
        channel.write(piece);
      }
    }
  }

  /** Starts again from nothing. */
  public void restart() throws IOException {
    channel.truncate(0);
    hash = Digest.algorithm();
    position = 0;
    continued = false;
  }

  /**
   * Puts it into the store.
   *
   * @return false if it is not what it should be; then it is empty again
   */
  public boolean complete() throws IOException {
    if (!Digest.ofHash(hash.digest()).equals(digest)) {
      restart();
      return false;
    }
    channel.force(true);
    publication.of(file);
    return true;
  }

  @Override
  public void close() throws IOException {
    try (lock;
        channel) {
      if (position == 0) {
        Files.deleteIfExists(file);
      }
      // Who waits for this lock sees that its file is another one, and takes that.
      Files.deleteIfExists(lockPath);
    }
  }
}
