package dev.caisson.engine.process;

import dev.caisson.linux.Cgroup;
import dev.caisson.linux.CgroupMounts;
import dev.caisson.linux.Kill;
import dev.caisson.linux.Signal;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * The cgroup of one task, below a parent that all tasks of the node share, those of other daemons
 * too. Reads the kernel each time; keeps nothing.
 */
final class TaskCgroup {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Cgroup group;

  TaskCgroup(CgroupMounts mounts, String path) {
    this.group = mounts.group(path.startsWith("/") ? path : "/" + path);
  }

  /**
   * Makes it before the runtime would: from here on its parent is not empty, and nobody who ends
   * another task takes the parent away under the runtime's hands.
   */
  void create() throws IOException {
    group.create();
  }

  /** All processes below it. */
  List<Integer> processes() throws IOException {
    return group.allProcesses().stream().map(Long::intValue).toList();
  }

  /**
   * Sends a signal to all; after SIGKILL waits until nothing is left, since processes can fork
   * meanwhile or be frozen.
   *
   * @throws IOException the first failure, after all were tried
   */
  void signalAll(Signal signal) throws IOException {
    if (signal.equals(Signal.KILL)) {
      group.kill(PATIENCE);
      return;
    }
    IOException first = null;
    for (int pid : processes()) {
      try {
        Kill.process(pid, signal);
      } catch (IOException e) {
        first = first == null ? e : first;
      }
    }
    if (first != null) {
      throw first;
    }
  }

  /** What is used in it. */
  CgroupFigures figures() {
    return new CgroupFigures(group);
  }

  /** What may be used in it. */
  TaskLimits limits(String tried) {
    return new TaskLimits(group, tried);
  }

  /** Removes it everywhere, and its parent where that is empty then. */
  void remove() throws IOException {
    group.remove();
    var parent = group.parent();
    if (parent.isPresent() && !parent.get().path().equals("/")) {
      parent.get().removeIfEmpty();
    }
  }
}
