package dev.caisson.daemon;

import dev.caisson.engine.ExecState;
import dev.caisson.engine.PodException;
import dev.caisson.engine.Pods;
import dev.caisson.engine.Task;
import dev.caisson.engine.TaskId;
import dev.caisson.library.CaissonException;
import dev.caisson.library.Reason;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The containers of this node, by id, name or beginning of an id: their records, and the engine's
 * tasks of those that run. Thread-safe.
 */
final class KnownContainers {
  private static final long END_SEEN_MILLIS = 1_000;
  private static final int SHORT_ID = 12;

  private final ContainerStore store;
  private final Pods pods;
  private final ConcurrentMap<String, ReentrantLock> locks = new ConcurrentHashMap<>();

  KnownContainers(ContainerStore store, Pods pods) {
    this.store = store;
    this.pods = pods;
  }

  /** Their records. */
  ContainerStore store() {
    return store;
  }

  /** The engine's task of a container, running or ended but not cleared away. */
  Optional<Task> find(String id) {
    return pods.find(new TaskId(id));
  }

  /** Forgets the lock of a container that is gone. */
  void forgetLock(String id) {
    locks.remove(id);
  }

  /**
   * The task of a container that runs.
   *
   * @throws CaissonException {@code NOT_FOUND}, {@code WRONG_STATE}
   */
  Task task(String word, String verb) {
    var record = store.get(word);
    return alive(record.id())
        .orElseThrow(() ->
            new CaissonException(
                Reason.WRONG_STATE,
                verb + " container '" + record.name() + "'",
                "it is not running",
                "start it first"));
  }

  /** Whether the first process of a task runs. */
  static boolean isAlive(Task task) {
    return task.state() instanceof ExecState.Running;
  }

  /** The task of a container, if that runs. */
  Optional<Task> alive(String id) {
    return pods.find(new TaskId(id)).filter(KnownContainers::isAlive);
  }

  /** Does something to a container while nobody else does. */
  void locked(String id, Runnable work) {
    var lock = locks.computeIfAbsent(id, _ -> new ReentrantLock());
    lock.lock();
    try {
      work.run();
    } finally {
      lock.unlock();
    }
  }

  /** The name of a container, or the beginning of the id of one that is gone. */
  String nameOf(String id) {
    return store.find(id).map(ContainerRecord::name).orElse(id.substring(0, SHORT_ID));
  }

  /** Of a damaged container nobody knows what it is to be. */
  static void checkWhole(ContainerRecord record, String tried) {
    if (record.damage().isPresent()) {
      throw new CaissonException(
          Reason.WRONG_STATE,
          tried,
          record.damage().get(),
          "it can be stopped and removed: 'caisson rm -f " + record.name() + "'");
    }
  }

  /** What failed because the container ended at the same time is told as that. */
  static RuntimeException unlessEnded(Task task, PodException failure) {
    return hasJustEnded(task, failure)
        ? new PodException(
            dev.caisson.engine.Reason.WRONG_STATE,
            failure.tried(),
            "it has just ended",
            "",
            failure)
        : failure;
  }

  /** Whether a failure that nothing else explains comes from an end that is not told yet. */
  static boolean hasJustEnded(Task task, PodException failure) {
    if (failure.reason() != dev.caisson.engine.Reason.INTERNAL) {
      return false;
    }
    try {
      task.ended(Optional.empty()).get(END_SEEN_MILLIS, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("an end is never exceptional", e);
    }
  }

  static void log(String what, Exception e) {
    System.getLogger(KnownContainers.class.getName())
        .log(System.Logger.Level.WARNING, what + ": " + e.getMessage());
  }

  static CaissonException internal(String tried, Exception e) {
    return new CaissonException(Reason.INTERNAL, tried, String.valueOf(e.getMessage()), "", e);
  }
}
