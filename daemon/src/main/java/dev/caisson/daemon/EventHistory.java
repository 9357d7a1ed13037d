package dev.caisson.daemon;

import dev.caisson.engine.ExecId;
import dev.caisson.engine.PodEvent;
import dev.caisson.library.EventFilter;
import dev.caisson.library.NodeEvent;
import dev.caisson.library.protocol.Wire;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The last events, and those who follow them. Thread-safe. */
final class EventHistory {
  private static final int KEPT = 1_000;
  private static final int MOST_WAITING = 10_000;
  private static final long LOOK_AFTER_CLIENT_SECONDS = 5;

  private final ArrayDeque<NodeEvent> kept = new ArrayDeque<>(); // guarded by this
  private final ArrayList<LinkedBlockingQueue<NodeEvent>> followers =
      new ArrayList<>(); // guarded by this

  /** Takes an event of the engine. */
  void add(PodEvent event) {
    var translated = translate(event);
    synchronized (this) {
      kept.add(translated);
      if (kept.size() > KEPT) {
        kept.removeFirst();
      }
      // One that takes nothing any more loses events rather than holding up the others.
      followers.forEach(queue -> queue.offer(translated));
    }
  }

  /** Sends what the filter lets through until its time is up or the client goes. */
  void follow(EventFilter filter, Conversation client) throws IOException {
    var queue = new LinkedBlockingQueue<NodeEvent>(MOST_WAITING);
    synchronized (this) {
      filter
          .since()
          .ifPresent(
              since -> kept.stream().filter(e -> !e.at().isBefore(since)).forEach(queue::offer));
      followers.add(queue);
    }
    try {
      for (; ; ) {
        var event = queue.poll(LOOK_AFTER_CLIENT_SECONDS, TimeUnit.SECONDS);
        var now = event == null ? Instant.now() : event.at();
        if (filter.until().filter(now::isAfter).isPresent() || client.isAbandoned()) {
          return;
        }
        if (event != null
            && filter.container().filter(id -> !event.subject().startsWith(id)).isEmpty()) {
          client.send(Wire.item(event));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      synchronized (this) {
        followers.remove(queue);
      }
    }
  }

  private static NodeEvent translate(PodEvent event) {
    return switch (event) {
      case PodEvent.Created(var at, var task, var pod, _) ->
          new NodeEvent(at, "/tasks/create", task.value(), Map.of("pod", pod.value()));
      case PodEvent.Started(var at, var task, var pid) ->
          new NodeEvent(at, "/tasks/start", task.value(), Map.of("pid", "" + pid));
      case PodEvent.ExecAdded(var at, var task, var exec) ->
          new NodeEvent(at, "/tasks/exec-added", task.value(), Map.of("exec", exec.value()));
      case PodEvent.ExecStarted(var at, var task, var exec, var pid) ->
          new NodeEvent(
              at,
              "/tasks/exec-started",
              task.value(),
              Map.of("exec", exec.value(), "pid", "" + pid));
      case PodEvent.Exited(var at, var task, var exec, var pid, var status) ->
          new NodeEvent(at, "/tasks/exit", task.value(), end(exec, pid, status.code()));
      case PodEvent.Deleted(var at, var task, var exec, var pid, var status) ->
          new NodeEvent(at, "/tasks/delete", task.value(), end(exec, pid, status.code()));
      case PodEvent.OutOfMemory(var at, var task) ->
          new NodeEvent(at, "/tasks/oom", task.value(), Map.of());
      case PodEvent.Paused(var at, var task) ->
          new NodeEvent(at, "/tasks/paused", task.value(), Map.of());
      case PodEvent.Resumed(var at, var task) ->
          new NodeEvent(at, "/tasks/resumed", task.value(), Map.of());
    };
  }

  private static Map<String, String> end(Optional<ExecId> exec, int pid, int status) {
    var details = new TreeMap<String, String>();
    exec.ifPresent(id -> details.put("exec", id.value()));
    details.put("pid", "" + pid);
    details.put("status", "" + status);
    return details;
  }
}
