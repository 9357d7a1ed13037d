package dev.caisson.engine;

import dev.caisson.json.Json;
import dev.caisson.linux.ProcessIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;

/**
 * A task as it stands on disk, so that the next daemon can take it over. Written whole under a
 * temporary name and renamed; without fsync, because a power cut ends the processes it speaks of.
 *
 * @param plan what it was made from
 * @param init its first process, once prepared
 * @param state init's state
 * @param starting set before init is let run, cleared by the state that follows
 * @param paused frozen on request
 * @param execs all further processes that were not deleted
 */
record TaskRecord(
    TaskPlan plan,
    Optional<ProcessIdentity> init,
    ExecState state,
    boolean starting,
    boolean paused,
    List<ExecRecord> execs) {
  private static final String FILE = "task.json";

  /** An exec as it stands on disk; fields as above. */
  record ExecRecord(ExecPlan plan, ExecState state, boolean starting) {}

  static TaskRecord read(Path directory) {
    return Json.read(directory.resolve(FILE), TaskRecord.class);
  }

  static boolean isIn(Path directory) {
    return Files.exists(directory.resolve(FILE));
  }

  void write(Path directory) throws IOException {
    var next = directory.resolve(FILE + ".new");
    try {
      Files.write(next, Json.write(this));
    } catch (IOException e) {
      Files.deleteIfExists(next);
      throw e;
    }
    Files.move(next, directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
  }
}
