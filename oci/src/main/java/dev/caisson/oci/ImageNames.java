package dev.caisson.oci;

import dev.caisson.json.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What each image name points to; one file, written whole and synchronised at each change.
 * Thread-safe.
 */
public final class ImageNames {
  private final Path file;
  private final Map<String, Descriptor> names; // guarded by this

  private record OnDisk(Map<String, Descriptor> names) {}

  private ImageNames(Path file, Map<String, Descriptor> names) {
    this.file = file;
    this.names = new TreeMap<>(names);
  }

  /** Reads the names of a state root. */
  public static ImageNames open(Path file) throws IOException {
    Files.createDirectories(file.getParent());
    return new ImageNames(
        file, Files.exists(file) ? Json.read(file, OnDisk.class).names() : Map.of());
  }

  /** What a full name points to. */
  public synchronized Optional<Descriptor> find(String name) {
    return Optional.ofNullable(names.get(name));
  }

  /** All names in order. */
  public synchronized Map<String, Descriptor> all() {
    return new TreeMap<>(names);
  }

  /** Points a name to content that is there. */
  public synchronized void put(String name, Descriptor target) throws IOException {
    var before = names.put(name, target);
    if (!target.equals(before)) {
      write();
    }
  }

  /** Removes a name; answers whether it was there. */
  public synchronized boolean remove(String name) throws IOException {
    if (names.remove(name) == null) {
      return false;
    }
    write();
    return true;
  }

  private void write() throws IOException {
    var next = file.resolveSibling(file.getFileName() + ".new");
    try (var out =
        FileChannel.open(
            next,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      var bytes = ByteBuffer.wrap(Json.write(new OnDisk(names)));
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
