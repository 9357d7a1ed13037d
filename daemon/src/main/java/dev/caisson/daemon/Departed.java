package dev.caisson.daemon;

import dev.caisson.json.Json;
import dev.caisson.json.JsonException;
import dev.caisson.library.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How containers ended that were removed at their end, so that whoever runs one can still ask; the
 * last ones only. Kept in the run directory, since the question may come to the next daemon.
 * Thread-safe.
 */
final class Departed {
  private static final int KEPT = 512;

  private final Path directory;
  private final Map<String, ExitStatus> exits = new HashMap<>(); // guarded by this
  private final ArrayDeque<String> order = new ArrayDeque<>(); // guarded by this

  private Departed(Path directory) {
    this.directory = directory;
  }

  static Departed open(Path directory) throws IOException {
    Files.createDirectories(directory);
    var departed = new Departed(directory);
    try (var files = Files.newDirectoryStream(directory)) {
      for (var file : files) {
        try {
          departed.keep(file.getFileName().toString(), Json.read(file, ExitStatus.class));
        } catch (JsonException e) {
          // Cut short by a crash: its container was not removed yet, or nobody asks any more.
          Files.deleteIfExists(file);
        }
      }
    }
    return departed;
  }

  /** Notes an end, before the container is removed. */
  synchronized void add(String id, ExitStatus exit) throws IOException {
    var next = directory.resolve(id + ".new");
    Files.write(next, Json.write(exit));
    Files.move(next, directory.resolve(id), StandardCopyOption.ATOMIC_MOVE);
    keep(id, exit);
  }

  private void keep(String id, ExitStatus exit) throws IOException {
    if (exits.put(id, exit) == null) {
      order.add(id);
    }
    while (order.size() > KEPT) {
      var oldest = order.removeFirst();
      exits.remove(oldest);
      Files.deleteIfExists(directory.resolve(oldest));
    }
  }

  synchronized Optional<ExitStatus> find(String id) {
    return Optional.ofNullable(exits.get(id));
  }
}
