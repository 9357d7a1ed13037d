package dev.caisson.oci;

import dev.caisson.json.Json;
import dev.caisson.json.JsonException;
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
  private final Optional<String> damage;

  private record OnDisk(Map<String, Descriptor> names) {}

  private ImageNames(Path file, Map<String, Descriptor> names, Optional<String> damage) {
    this.file = file;
    this.names = new TreeMap<>(names);
    this.damage = damage;
  }

  /** Reads the names of a state root. A file that cannot be read is put aside; there are none. */
  public static ImageNames open(Path file) throws IOException {
    Files.createDirectories(file.getParent());
    if (!Files.exists(file)) {
      return new ImageNames(file, Map.of(), Optional.empty());
    }
    try {
      return new ImageNames(file, Json.read(file, OnDisk.class).names(), Optional.empty());
    } catch (JsonException | IllegalArgumentException e) {
      var aside = file.resolveSibling(file.getFileName() + ".damaged");
      Files.move(file, aside, StandardCopyOption.REPLACE_EXISTING);
      return new ImageNames(
          file,
          Map.of(),
          Optional.of(
              "the names of the images cannot be read: "
                  + e.getMessage()
                  + "; the file is kept as '"
                  + aside
                  + "', pull, load or tag the images again"));
    }
  }

  /** Why names that were there before are not there any more. */
  Optional<String> damage() {
    return damage;
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
    if (!target.equals(names.get(name))) {
      var changed = new TreeMap<>(names);
      changed.put(name, target);
      write(changed);
      names.put(name, target);
    }
  }

  /** Removes a name; answers whether it was there. */
  public synchronized boolean remove(String name) throws IOException {
    if (!names.containsKey(name)) {
      return false;
    }
    var changed = new TreeMap<>(names);
    changed.remove(name);
    write(changed);
    names.remove(name);
    return true;
  }

  /** Writes what is to be, before it is: nothing is changed when that fails. */
  private void write(Map<String, Descriptor> changed) throws IOException {
    var next = file.resolveSibling(file.getFileName() + ".new");
    try (var out =
        FileChannel.open(
            next,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      var bytes = ByteBuffer.wrap(Json.write(new OnDisk(changed)));
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    } catch (IOException e) {
      Files.deleteIfExists(next);
      throw e;
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
