package dev.caisson.oci;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Content by digest: {@code <root>/content/sha256/<hex>}. A blob is there whole or not at all: it
 * is written under a temporary name, synchronised, and renamed. Safe for several threads and
 * processes.
 */
public final class ContentStore {
  private final Path blobs;
  private final Path incoming;

  private ContentStore(Path directory) {
    this.blobs = directory.resolve("sha256");
    this.incoming = directory.resolve("incoming");
  }

  /** Opens a store, making its directories where needed. */
  public static ContentStore open(Path directory) throws IOException {
    var store = new ContentStore(directory);
    Files.createDirectories(store.blobs);
    Files.createDirectories(store.incoming);
    return store;
  }

  /** Where a blob lies, if it is there. */
  public Path path(Digest digest) {
    return blobs.resolve(digest.hex());
  }

  /** Whether a blob is there. */
  public boolean has(Digest digest) {
    return Files.exists(path(digest));
  }

  /**
   * Reads a small blob, such as a manifest.
   *
   * @throws ImageException {@code NOT_FOUND}
   */
  public byte[] read(Digest digest) {
    try {
      return Files.readAllBytes(path(digest));
    } catch (IOException e) {
      throw new ImageException(
          ImageException.Kind.NOT_FOUND,
          "read " + digest,
          String.valueOf(e.getMessage()),
          "pull or load the image again",
          e);
    }
  }

  /** Adds a small blob; does nothing when it is there. */
  public Digest add(byte[] content) throws IOException {
    var digest = Digest.of(content);
    if (has(digest)) {
      return digest;
    }
    var temporary = Files.createTempFile(incoming, digest.hex(), "");
    try {
      try (var file = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
        var bytes = ByteBuffer.wrap(content);
        while (bytes.hasRemaining()) {
          file.write(bytes);
        }
        file.force(true);
      }
      Files.move(temporary, path(digest), StandardCopyOption.ATOMIC_MOVE);
      try (var directory = FileChannel.open(blobs, StandardOpenOption.READ)) {
        directory.force(true);
      }
      return digest;
    } finally {
      Files.deleteIfExists(temporary);
    }
  }
}
