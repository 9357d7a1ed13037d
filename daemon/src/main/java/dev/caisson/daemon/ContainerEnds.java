package dev.caisson.daemon;

import dev.caisson.engine.ExecState;
import dev.caisson.engine.PodEvent;
import dev.caisson.library.CaissonException;
import dev.caisson.library.ExitStatus;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * How containers end: hears of it, has them cleared away, writes it down, and tells who waits.
 * Thread-safe.
 */
final class ContainerEnds {
  static final int UNKNOWN_EXIT = 255;

  private static final int SHORT_ID = 12;

  private final KnownContainers known;
  private final Departed departed;
  private final Clearing clearing;
  private final ConcurrentMap<String, CompletableFuture<ExitStatus>> ends =
      new ConcurrentHashMap<>();
  private final Set<String> outOfMemory = ConcurrentHashMap.newKeySet();

  /** What is done to a container that has ended. */
  interface Clearing {
    void deleteTask(String id);

    void unmount(String id) throws IOException;

    void remove(String id);
  }

  ContainerEnds(KnownContainers known, Departed departed, Clearing clearing) {
    this.known = known;
    this.departed = departed;
    this.clearing = clearing;
  }

  /** A run begins; whoever waits for a container that was not started yet waits for this one. */
  void begin(String id) {
    ends.compute(id, (_, end) -> end == null || end.isDone() ? new CompletableFuture<>() : end);
  }

  /** Listens to the engine. */
  void hear(PodEvent event) {
    switch (event) {
      case PodEvent.OutOfMemory(_, var task) -> outOfMemory.add(task.value());
      case PodEvent.Exited(var at, var task, var exec, _, var status) -> {
        if (exec.isEmpty()) {
          finishLater(task.value(), new ExecState.Exited(status, at));
        }
      }
      case PodEvent.Created _,
          PodEvent.Started _,
          PodEvent.ExecAdded _,
          PodEvent.ExecStarted _,
          PodEvent.Deleted _,
          PodEvent.Paused _,
          PodEvent.Resumed _ -> {}
    }
  }

  /** Finishes on a thread of its own: it waits for locks, and events must not. */
  void finishLater(String id, ExecState.Exited exited) {
    Thread.ofPlatform()
        .daemon()
        .name("finish-" + id.substring(0, Math.min(SHORT_ID, id.length())))
        .start(() ->
            finish(
                id, new ExitStatus(exited.status().code(), exited.at(), outOfMemory.remove(id))));
  }

  /** A container's end: its task and mount go, its record tells how it ended, or goes as well. */
  void finish(String id, ExitStatus exit) {
    var end = ends.get(id);
    try {
      known.locked(
          id,
          () -> {
            var record = known.store().find(id);
            if (record.isEmpty() || record.get().started().isEmpty()) {
              return;
            }
            try {
              clearing.deleteTask(id);
              if (record.get().settings().removeAtEnd()) {
                departed.add(id, exit);
                clearing.remove(id);
              } else {
                // In memory first: a full disk must not make it unknown how this one ended.
                known.store().remember(record.get().ended(exit));
                clearing.unmount(id);
                known.store().save(record.get().ended(exit), true);
              }
            } catch (IOException e) {
              throw KnownContainers.internal("end container '" + record.get().name() + "'", e);
            }
          });
    } catch (RuntimeException e) {
      KnownContainers.log("end of container " + id, e);
    } finally {
      if (end != null) {
        end.complete(exit);
      }
    }
  }

  /** Completes with how a container ended; at once when it has. */
  CompletableFuture<ExitStatus> ended(String word) {
    var gone = departed.find(word);
    if (gone.isPresent() && known.store().find(word).isEmpty()) {
      return CompletableFuture.completedFuture(gone.get());
    }
    var id = idOf(word);
    var running = ends.get(id);
    var exit = exitOf(id);
    if (running != null && !running.isDone()) {
      // How it ended may be known already, but not all of it is cleared away.
      return running.copy();
    }
    if (exit.isPresent()) {
      return CompletableFuture.completedFuture(exit.get());
    }
    var end = ends.computeIfAbsent(id, _ -> new CompletableFuture<>());
    if (known.store().find(id).isEmpty()) {
      // Removed since it was looked for: nobody else would complete this any more.
      endWaits(id, exitOf(id));
    }
    return end.copy();
  }

  private String idOf(String word) {
    try {
      return known.store().get(word).id();
    } catch (CaissonException e) {
      // It may have ended and been removed between the look at those and at these.
      if (departed.find(word).isPresent()) {
        return word;
      }
      throw e;
    }
  }

  /** How a container ended last, if it has, also when it is gone. */
  Optional<ExitStatus> exitOf(String id) {
    return departed.find(id).or(() -> known.store().find(id).flatMap(ContainerRecord::exit));
  }

  /** A removed container never ends any more: who waits is told what is known of its end. */
  void endWaits(String id, Optional<ExitStatus> exit) {
    var end = ends.remove(id);
    if (end != null) {
      end.complete(exit.orElse(new ExitStatus(UNKNOWN_EXIT, Instant.now(), false)));
    }
  }
}
