package dev.caisson.daemon;

import dev.caisson.library.ExitStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * How execs ended, for those who ask when the container has ended as well and the engine's task is
 * gone: the last thing an exec does may be the container's end. Safe for use by many threads; a
 * daemon that starts anew knows only the execs of running tasks.
 */
final class ExecEnds {
  private static final int MOST = 1024;

  /** By exec, the oldest first. Guarded by this. */
  private final Map<String, CompletableFuture<ExitStatus>> ends = new LinkedHashMap<>();

  /** Keeps the end of an exec. The oldest is forgotten for it when there are too many. */
  synchronized void add(String exec, CompletableFuture<ExitStatus> end) {
    ends.put(exec, end);
    if (ends.size() > MOST) {
      ends.remove(ends.keySet().iterator().next());
    }
  }

  /** Completes with how it ended; empty when it is not known here. */
  synchronized Optional<CompletableFuture<ExitStatus>> find(String exec) {
    return Optional.ofNullable(ends.get(exec)).map(CompletableFuture::copy);
  }
}
