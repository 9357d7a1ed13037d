package dev.caisson.oci;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The files of an image archive, moved into the content store as they come by.
 *
 * <p>An archive is read once, front to back, and says last what belongs together. So every file
 * becomes a blob at once; {@link #discard} removes those that were not there before and that no
 * image turned out to need. For one thread.
 */
final class ArchiveContents {
  /** What an archive should be. */
  static final String WANTED = "wanted an OCI layout or an archive of 'docker save'";

  private static final String BLOBS = "blobs/sha256/";
  private static final int MOST_LINKS = 40;
  private static final long LARGEST_DOCUMENT = 16L << 20;

  private final ContentStore content;
  private final Map<String, ContentStore.Added> files = new HashMap<>();
  private final Map<String, String> links = new HashMap<>();
  private final Set<Digest> fresh = new LinkedHashSet<>();

  ArchiveContents(ContentStore content) {
    this.content = content;
  }

  /**
   * Reads an archive, whatever its compression.
   *
   * @throws ImageException {@code INVALID} for a blob that is not what its name says
   */
  void read(InputStream archive, LayerLimits limits) throws IOException {
    try (var pipe =
        new ChunkPipe(
            Compression.open(archive, limits).stream(), archive, Digest.algorithm(), "archive")) {
      var reader = new TarReader(pipe, limits);
      for (var entry = reader.next(); entry.isPresent(); entry = reader.next()) {
        read(reader, entry.get());
      }
      reader.drain();
    }
  }

  /**
   * Reads an OCI layout that lies in a directory; links in it are not followed.
   *
   * @throws ImageException {@code INVALID} for a blob that is not what its name says
   */
  void read(Path layout) throws IOException {
    for (String name : List.of("oci-layout", "index.json")) {
      if (Files.isRegularFile(layout.resolve(name), LinkOption.NOFOLLOW_LINKS)) {
        readFile(layout, name);
      }
    }
    if (!Files.isDirectory(layout.resolve(BLOBS), LinkOption.NOFOLLOW_LINKS)) {
      throw invalid("directory '" + layout + "' has no '" + BLOBS + "'");
    }
    try (var blobs = Files.newDirectoryStream(layout.resolve(BLOBS))) {
      for (var blob : blobs) {
        if (Files.isRegularFile(blob, LinkOption.NOFOLLOW_LINKS)) {
          readFile(layout, BLOBS + blob.getFileName());
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  private void readFile(Path layout, String name) throws IOException {
    try (var file =
        Files.newInputStream(
            layout.resolve(name), StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      add(name, content.add(file));
    }
  }

  private void read(TarReader reader, TarEntry entry) throws IOException {
    String path = clean(entry.path());
    switch (entry.type()) {
      case FILE -> add(path, content.add(reader.content()));
      case SYMBOLIC_LINK -> links.put(path, clean(beside(path, entry.target())));
      case HARD_LINK -> links.put(path, clean(entry.target()));
      case DIRECTORY, FIFO, CHARACTER_DEVICE, BLOCK_DEVICE -> {}
    }
  }

  private void add(String path, ContentStore.Added blob) {
    if (blob.isNew()) {
      fresh.add(blob.digest());
    }
    if (path.startsWith(BLOBS) && !path.substring(BLOBS.length()).equals(blob.digest().hex())) {
      throw invalid("file '" + path + "' has the digest " + blob.digest());
    }
    files.put(path, blob);
  }

  private static String beside(String link, String target) {
    return target.startsWith("/") ? target : link + "/../" + target;
  }

  /**
   * Without empty and "." parts and with ".." taken; starts with "../" if it leaves the archive.
   */
  private static String clean(String path) {
    Deque<String> parts = new ArrayDeque<>();
    for (String part : path.split("/")) {
      if (part.equals("..") && !parts.isEmpty() && !parts.getLast().equals("..")) {
        parts.removeLast();
      } else if (!part.isEmpty() && !part.equals(".")) {
        parts.addLast(part);
      }
    }
    return String.join("/", parts);
  }

  /**
   * The blob of a file, also through links, in whatever order they came.
   *
   * @throws ImageException {@code INVALID} for a link that leaves the archive or goes in a circle
   */
  Optional<ContentStore.Added> find(String name) {
    String path = clean(name);
    for (int i = 0; i < MOST_LINKS; i++) {
      if (path.equals("..") || path.startsWith("../")) {
        throw invalid("link '" + name + "' leaves the archive");
      }
      var file = Optional.ofNullable(files.get(path));
      if (file.isPresent()) {
        return file;
      }
      var target = Optional.ofNullable(links.get(path));
      if (target.isEmpty()) {
        if (i > 0) {
          throw invalid("link '" + name + "' leads to '" + path + "', which is not in the archive");
        }
        return Optional.empty();
      }
      path = target.get();
    }
    throw invalid("link '" + name + "' goes in a circle");
  }

  /** A file that must be there. */
  ContentStore.Added get(String name) {
    return find(name).orElseThrow(() -> invalid("file '" + name + "' is missing"));
  }

  /** The text of a small file, empty if there is none. */
  Optional<byte[]> document(String name) {
    var file = find(name);
    if (file.filter(blob -> blob.size() > LARGEST_DOCUMENT).isPresent()) {
      throw invalid("file '" + name + "' has more than " + LARGEST_DOCUMENT + " bytes");
    }
    return file.map(blob -> content.read(blob.digest()));
  }

  /** Notes a blob that was made from the archive. */
  void made(ContentStore.Added blob) {
    if (blob.isNew()) {
      fresh.add(blob.digest());
    }
  }

  /** Removes what came with the archive and is not among {@code kept}. */
  void discard(Set<Digest> kept) throws IOException {
    for (Digest digest : fresh) {
      if (!kept.contains(digest)) {
        content.remove(digest);
      }
    }
  }

  static ImageException invalid(String found) {
    return new ImageException(ImageException.Kind.INVALID, "load an archive", found, WANTED);
  }
}
