package dev.caisson.daemon;

import dev.caisson.json.Json;
import dev.caisson.json.JsonException;
import dev.caisson.library.CaissonException;
import dev.caisson.library.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The containers on disk: {@code <root>/containers/<id>/container.json}. Ids and names are unique;
 * both are taken before anything else of a container is made. Thread-safe.
 */
final class ContainerStore {
  private static final String FILE = "container.json";
  private static final int SHORTEST_PREFIX = 1;

  private final Path directory;
  private final Map<String, ContainerRecord> byId = new HashMap<>(); // guarded by this
  private final Map<String, String> idByName = new HashMap<>(); // guarded by this

  private ContainerStore(Path directory) {
    this.directory = directory;
  }

  /**
   * Reads all containers. One whose record cannot be read is there as well, {@link
   * ContainerRecord#damage} says why.
   *
   * @param unfinished receives the ids of those that a crash left without a record
   */
  static ContainerStore open(Path directory, List<String> unfinished) throws IOException {
    Files.createDirectories(directory);
    var store = new ContainerStore(directory);
    try (var entries = Files.newDirectoryStream(directory)) {
      for (var entry : entries) {
        var id = entry.getFileName().toString();
        if (Files.exists(entry.resolve(FILE), LinkOption.NOFOLLOW_LINKS)) {
          var record = read(id, entry.resolve(FILE));
          store.byId.put(id, record);
          store.idByName.put(record.name(), id);
        } else {
          unfinished.add(id);
        }
      }
    }
    return store;
  }

  private static ContainerRecord read(String id, Path file) throws IOException {
    String trouble;
    try {
      var record = Json.read(file, ContainerRecord.class);
      if (record.id().equals(id)) {
        return record;
      }
      trouble = "it is that of container '" + record.id() + "'";
    } catch (JsonException | IllegalArgumentException | UncheckedIOException e) {
      trouble = String.valueOf(e.getMessage());
    }
    return ContainerRecord.damaged(
        id,
        Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant(),
        "its record '" + file + "' cannot be read: " + trouble);
  }

  /** Where a container keeps its record, its generated files and its log. */
  Path directoryOf(String id) {
    return directory.resolve(id);
  }

  /**
   * Takes a name for a container that is being made.
   *
   * @throws CaissonException {@code ALREADY_EXISTS}
   */
  synchronized void reserve(String id, String name) {
    var holder = idByName.putIfAbsent(name, id);
    if (holder != null) {
      throw new CaissonException(
          Reason.ALREADY_EXISTS,
          "create container '" + name + "'",
          "the name is in use by container " + holder.substring(0, 12),
          "remove or rename that container, or choose another name");
    }
  }

  /** Makes up a name that is free and takes it. */
  synchronized String reserveMadeUp(String id) {
    var name = Names.madeUp(candidate -> !idByName.containsKey(candidate));
    idByName.put(name, id);
    return name;
  }

  /** Gives a reserved name back. */
  synchronized void release(String id, String name) {
    if (!byId.containsKey(id)) {
      idByName.remove(name, id);
    }
  }

  /**
   * Writes a record so that it survives a power cut.
   *
   * @param durable false for what may be lost with the power, such as the start time
   */
  void save(ContainerRecord record, boolean durable) throws IOException {
    if (record.damage().isPresent()) {
      // What is on the disk may still be of use to somebody who can read more of it.
      remember(record);
      return;
    }
    var home = directoryOf(record.id());
    Files.createDirectories(home);
    var next = home.resolve(FILE + ".new");
    synchronized (this) {
      try (var file =
          FileChannel.open(
              next,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        var bytes = ByteBuffer.wrap(Json.write(record));
        while (bytes.hasRemaining()) {
          file.write(bytes);
        }
        if (durable) {
          file.force(false);
        }
      } catch (IOException e) {
        discard(next, e);
        throw e;
      }
      Files.move(next, home.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
      byId.put(record.id(), record);
    }
  }

  private static void discard(Path file, IOException failure) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /** Takes over what could not be written, so that at least this daemon knows. */
  synchronized void remember(ContainerRecord record) {
    byId.put(record.id(), record);
  }

  /** Forgets a container whose directory its owner has removed. */
  synchronized void forget(ContainerRecord record) {
    byId.remove(record.id());
    idByName.remove(record.name(), record.id());
  }

  /** The record of an id. */
  synchronized Optional<ContainerRecord> find(String id) {
    return Optional.ofNullable(byId.get(id));
  }

  /**
   * The container that a user's word means: its id, its name, or the beginning of its id.
   *
   * @throws CaissonException {@code NOT_FOUND}, or {@code INVALID} when several ids begin so
   */
  synchronized ContainerRecord get(String word) {
    var exact = byId.get(word);
    if (exact != null) {
      return exact;
    }
    var named = idByName.get(word);
    if (named != null && byId.containsKey(named)) {
      return byId.get(named);
    }
    var matching = new ArrayList<ContainerRecord>();
    if (word.length() >= SHORTEST_PREFIX) {
      for (var record : byId.values()) {
        if (record.id().startsWith(word)) {
          matching.add(record);
        }
      }
    }
    return switch (matching.size()) {
      case 1 -> matching.getFirst();
      case 0 ->
          throw new CaissonException(
              Reason.NOT_FOUND,
              "find container '" + word + "'",
              "there is no container of that name or id",
              "see 'caisson ps -a'");
      default ->
          throw new CaissonException(
              Reason.INVALID,
              "find container '" + word + "'",
              matching.size() + " ids begin so",
              "give more digits");
    };
  }

  /** All containers, oldest first. */
  synchronized List<ContainerRecord> all() {
    return byId.values().stream()
        .sorted(Comparator.comparing(ContainerRecord::created).thenComparing(ContainerRecord::id))
        .toList();
  }
}
