package dev.caisson.oci;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.List;

/**
 * Content by digest: {@code <root>/content/sha256/<hex>}. A blob is there whole or not at all: it
 * is written under a temporary name, synchronised, and renamed. Safe for several threads and
 * processes.
 */
public final class ContentStore {
  private static final int COPY_BUFFER = 256 * 1024;
  private static final long SOON_HASHED = 1 << 20;

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
    return isWhole(digest, content.length)
        ? digest
        : add(new ByteArrayInputStream(content)).digest();
  }

  /**
   * A blob that was added.
   *
   * @param digest its digest
   * @param size its bytes
   * @param isNew whether it was not there before
   */
  record Added(Digest digest, long size, boolean isNew) {}

  /** Adds a blob of any size, in constant memory. Nothing is left of one that fails. */
  Added add(InputStream content) throws IOException {
    var temporary = Files.createTempFile(incoming, "blob", "");
    try {
      var hash = Digest.algorithm();
      long size = copy(content, temporary, hash);
      var digest = Digest.ofHash(hash.digest());
      if (isWhole(digest, size)) {
        return new Added(digest, size, false);
      }
      Files.move(temporary, path(digest), StandardCopyOption.ATOMIC_MOVE);
      try (var directory = FileChannel.open(blobs, StandardOpenOption.READ)) {
        directory.force(true);
      }
      return new Added(digest, size, true);
    } finally {
      Files.deleteIfExists(temporary);
    }
  }

  /** Whether a blob is there and, as far as is soon told, undamaged; otherwise it is replaced. */
  private boolean isWhole(Digest digest, long size) throws IOException {
    return has(digest)
        && Files.size(path(digest)) == size
        && (size > SOON_HASHED || Digest.of(Files.readAllBytes(path(digest))).equals(digest));
  }

  private static long copy(InputStream content, Path target, MessageDigest hash)
      throws IOException {
    byte[] buffer = new byte[COPY_BUFFER];
    long size = 0;
    try (var file = FileChannel.open(target, StandardOpenOption.WRITE)) {
      for (int count = content.read(buffer); count >= 0; count = content.read(buffer)) {
        hash.update(buffer, 0, count);
        var bytes = ByteBuffer.wrap(buffer, 0, count);
        while (bytes.hasRemaining()) {
          file.write(bytes);
        }
        size += count;
      }
      file.force(true);
    }
    return size;
  }

  /** Removes a blob; answers how many bytes it had, 0 if it was not there. */
  long remove(Digest digest) throws IOException {
    var file = path(digest);
    try {
      long size = Files.size(file);
      Files.delete(file);
      return size;
    } catch (NoSuchFileException e) {
      return 0;
    }
  }

  /** All blobs that are there whole. */
  List<Digest> all() throws IOException {
    try (var files = Files.list(blobs)) {
      return files
          .map(file -> "sha256:" + file.getFileName())
          .filter(Digest::isDigest)
          .map(Digest::new)
          .toList();
    }
  }
}
