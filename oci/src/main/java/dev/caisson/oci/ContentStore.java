package dev.caisson.oci;

import dev.caisson.linux.LockFile;
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
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Content by digest: {@code <root>/content/sha256/<hex>}. A blob is there whole or not at all: it
 * is written under a temporary name, synchronised, and renamed. Safe for several threads and
 * processes.
 *
 * <p>Beside it: {@code incoming/} and {@code partial/<hex>} for what is not whole yet, {@code
 * locks/}, {@code leases/}. Each blob is synchronised by itself, by the thread that wrote it while
 * others still receive; one syncfs(2) for all would also wait for what containers write.
 */
public final class ContentStore {
  private static final int COPY_BUFFER = 256 * 1024;
  private static final long SOON_HASHED = 1 << 20;

  private final Path blobs;
  private final Path incoming;
  private final Path partial;
  private final Path locks;
  private final Leases leases;

  private ContentStore(Path directory) {
    this.blobs = directory.resolve("sha256");
    this.incoming = directory.resolve("incoming");
    this.partial = directory.resolve("partial");
    this.locks = directory.resolve("locks");
    this.leases = new Leases(directory.resolve("leases"), locks.resolve("store"));
  }

  /** Opens a store, making its directories where needed. */
  public static ContentStore open(Path directory) throws IOException {
    var store = new ContentStore(directory);
    for (String name : List.of("sha256", "incoming", "partial", "locks", "leases")) {
      Files.createDirectories(directory.resolve(name));
    }
    store.leases.sweep();
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

  /** Whether a blob is there and has its length; a disk that was full or is broken may cut it. */
  boolean has(Descriptor blob) throws IOException {
    return has(blob.digest()) && Files.size(path(blob.digest())) == blob.size();
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
      publish(temporary, digest);
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

  /** Gives a file that is whole and synchronised its name. */
  private void publish(Path file, Digest digest) throws IOException {
    Files.move(file, path(digest), StandardCopyOption.ATOMIC_MOVE);
    try (var directory = FileChannel.open(blobs, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  /**
   * Takes up a blob that comes in pieces, where an earlier run left it. Waits while another thread
   * or process is at the same blob; afterwards it may be there, so look again.
   */
  PartialBlob partial(Digest digest) throws IOException {
    return PartialBlob.open(
        partial.resolve(digest.hex()),
        locks.resolve(digest.hex()),
        digest,
        file -> publish(file, digest));
  }

  /** Takes a lease on blobs, which need not be there. */
  Lease lease(Collection<Digest> digests) throws IOException {
    return leases.take(digests.stream().map(Digest::value).toList());
  }

  /** What cannot be pruned now; nobody gets a lease until it is closed. */
  record Pruning(LockFile lock, Set<Digest> leased) implements AutoCloseable {
    @Override
    public void close() {
      lock.close();
    }
  }

  /** Begins to prune. */
  Pruning prune() throws IOException {
    var lock = leases.stop();
    try {
      return new Pruning(lock, leases.held().stream().map(Digest::new).collect(Collectors.toSet()));
    } catch (IOException | RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  /** Removes what broken downloads left, but none that is going on or leased. */
  long removePartial(Set<Digest> kept) throws IOException {
    long bytes = 0;
    try (var files = Files.newDirectoryStream(partial)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        String digest = "sha256:" + name;
        if (!Digest.isDigest(digest) || kept.contains(new Digest(digest))) {
          continue;
        }
        var lock = LockFile.tryAcquire(locks.resolve(name), LockFile.Kind.EXCLUSIVE);
        if (lock.isPresent()) {
          try (var _ = lock.get()) {
            bytes += remove(file);
            Files.deleteIfExists(locks.resolve(name));
          }
        }
      }
    }
    return bytes;
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
    return remove(path(digest));
  }

  private static long remove(Path file) throws IOException {
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
