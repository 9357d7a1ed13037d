package dev.caisson.engine;

import dev.caisson.engine.streams.DescriptorStore;
import dev.caisson.engine.streams.Pump;
import dev.caisson.linux.Fd;
import dev.caisson.linux.Signal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The pods of one engine and their tasks: the way in for every front end. All calls may be made
 * from any thread.
 *
 * <p>A pod is there as long as its sandbox task is: the task with the pod's id. Its workloads are
 * the other tasks that name it. A standalone task is the sandbox task of a pod of its own.
 */
public final class Pods implements AutoCloseable {
  private final Node node;
  private final ExecutorService background;
  private final ConcurrentMap<TaskId, Slot> tasks = new ConcurrentHashMap<>();

  /** An id in use: by a task, or by one that is being made. */
  private sealed interface Slot {
    record Taken(PodId pod) implements Slot {}

    record Filled(Task task) implements Slot {}
  }

  /**
   * Makes an engine without tasks; see {@link #takeOver}.
   *
   * @param directory where tasks keep their records: {@code <run>/tasks}
   * @param sandbox the wall
   * @param exits where exits come from
   * @param store who holds descriptors beyond this process
   * @param pump moves output
   * @param events where events go
   * @param clock tells the time of events
   */
  public Pods(
      Path directory,
      Sandbox sandbox,
      Exits exits,
      DescriptorStore store,
      Pump pump,
      EventHub events,
      Clock clock) {
    background =
        Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("end-", 0).factory());
    node = new Node(directory, sandbox, exits, store, pump, events, clock, background);
  }

  /**
   * Takes over the tasks of a daemon that ended. Call before any other method.
   *
   * @return sentences about tasks whose record could not be read; see {@link #discard}
   */
  public List<String> takeOver(HeldDescriptors held) throws IOException {
    Files.createDirectories(node.directory());
    var troubles = new ArrayList<String>();
    try (var entries = Files.newDirectoryStream(node.directory())) {
      for (var directory : entries) {
        try {
          if (TaskRecord.isIn(directory)) {
            Task.takeOver(
                node, directory, held, task -> tasks.put(task.id(), new Slot.Filled(task)));
          } else {
            Directories.remove(directory);
          }
        } catch (RuntimeException e) {
          troubles.add("take over " + directory + ": " + e.getMessage());
        }
      }
    }
    return troubles;
  }

  /**
   * Ends and removes all there is of a task whose record {@link #takeOver} could not read.
   *
   * @param plan what it was made from, as far as its owner knows
   */
  public void discard(TaskPlan plan, HeldDescriptors held) throws IOException {
    node.sandbox().delete(plan);
    for (var name : held.under(Task.streamNames(plan.id()))) {
      node.store().drop(name);
      held.byName().getOrDefault(name, List.of()).forEach(Fd::close);
    }
    Directories.remove(node.directory().resolve(plan.id().value()));
  }

  /** Where events of all tasks can be heard. */
  public EventHub events() {
    return node.events();
  }

  /**
   * Makes a task.
   *
   * <p>A task that names its own id as its pod makes the pod. Any other needs the pod's sandbox
   * task to be running.
   *
   * @throws PodException {@code ALREADY_EXISTS} when the id is in use, {@code WRONG_STATE} when the
   *     pod is not there or its sandbox does not run, or what making it found
   */
  public Task create(TaskPlan plan) {
    var id = plan.id();
    var tried = "create task '" + id + "'";
    var ownPod = plan.pod().value().equals(id.value());
    if (tasks.putIfAbsent(id, new Slot.Taken(plan.pod())) != null) {
      throw new PodException(
          Reason.ALREADY_EXISTS,
          tried,
          "the id is in use",
          "delete that task or choose another id");
    }
    try {
      if (!ownPod) {
        requireRunningSandbox(plan.pod(), tried);
      }
      return Task.create(node, plan, task -> tasks.put(id, new Slot.Filled(task)));
    } catch (RuntimeException e) {
      tasks.remove(id);
      throw e;
    }
  }

  private void requireRunningSandbox(PodId pod, String tried) {
    var sandbox = find(new TaskId(pod.value()));
    if (sandbox.isEmpty()) {
      throw new PodException(
          Reason.WRONG_STATE, tried, "there is no pod '" + pod + "'", "create the pod first");
    }
    if (!(sandbox.get().state() instanceof ExecState.Running)) {
      throw new PodException(
          Reason.WRONG_STATE,
          tried,
          "the sandbox of pod '" + pod + "' does not run",
          "start it first");
    }
  }

  /** The task of an id. */
  public Optional<Task> find(TaskId id) {
    return tasks.get(id) instanceof Slot.Filled(var task) ? Optional.of(task) : Optional.empty();
  }

  /**
   * The task of an id.
   *
   * @throws PodException {@code NOT_FOUND}
   */
  public Task get(TaskId id) {
    return find(id)
        .orElseThrow(() ->
            new PodException(
                Reason.NOT_FOUND, "find task '" + id + "'", "there is no such task", ""));
  }

  /** The tasks of a pod: its sandbox task first, then its workloads by id. */
  public List<Task> list(PodId pod) {
    return all().stream()
        .filter(task -> task.plan().pod().equals(pod))
        .sorted(
            Comparator.comparing((Task t) -> !t.id().value().equals(pod.value()))
                .thenComparing(t -> t.id().value()))
        .toList();
  }

  /** All tasks of all pods, in no order. */
  public List<Task> all() {
    return tasks.values().stream()
        .<Task>mapMulti((slot, next) -> {
          if (slot instanceof Slot.Filled(var task)) {
            next.accept(task);
          }
        })
        .toList();
  }

  /**
   * Delivers a signal.
   *
   * <p>Without {@code all} only the named process gets it. With it, a workload's every process, and
   * for a pod's id every process of all its workloads and then of its sandbox; members that have
   * exited are passed over.
   *
   * @throws PodException {@code NOT_FOUND} for an unknown task (tested first); {@code WRONG_STATE}
   *     for {@code all} together with an exec
   */
  public void kill(TaskId id, Optional<ExecId> exec, Signal signal, boolean all) {
    var task = get(id);
    if (!all) {
      task.kill(exec, signal);
      return;
    }
    if (exec.isPresent()) {
      throw new PodException(
          Reason.WRONG_STATE,
          "signal task '" + id + "'",
          "exec '" + exec.get() + "' is named together with all",
          "name either one exec or all");
    }
    if (!isSandbox(task)) {
      task.killAll(signal);
      return;
    }
    var members = list(task.plan().pod());
    PodException first = null;
    for (var member : members.reversed()) {
      try {
        member.killAll(signal);
      } catch (PodException e) {
        if (e.reason() != Reason.NOT_FOUND && first == null) {
          first = e;
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  /**
   * Removes a task that is {@code created} or {@code exited} and frees its id.
   *
   * @return how its init ended
   * @throws PodException {@code NOT_FOUND}; {@code WRONG_STATE} while its init runs, or, for a
   *     pod's id, while workloads remain
   */
  public ExecState.Exited delete(TaskId id) {
    var task = get(id);
    var exit = task.delete(() -> requireNoWorkloads(task));
    tasks.remove(id);
    return exit;
  }

  /** Those that are just being made count too: they have seen the sandbox run. */
  private void requireNoWorkloads(Task sandbox) {
    var pod = sandbox.plan().pod();
    if (!isSandbox(sandbox)) {
      return;
    }
    var workloads =
        tasks.entrySet().stream()
            .filter(entry ->
                podOf(entry.getValue()).equals(pod) && !entry.getKey().equals(sandbox.id()))
            .count();
    if (workloads > 0) {
      throw new PodException(
          Reason.WRONG_STATE,
          "delete task '" + sandbox.id() + "'",
          "its pod still has " + workloads + (workloads == 1 ? " other task" : " other tasks"),
          "delete those first");
    }
  }

  private static PodId podOf(Slot slot) {
    return switch (slot) {
      case Slot.Taken(var pod) -> pod;
      case Slot.Filled(var task) -> task.plan().pod();
    };
  }

  private static boolean isSandbox(Task task) {
    return task.plan().pod().value().equals(task.id().value());
  }

  /** Ends the engine's threads; tasks go on and can be taken over by another. */
  @Override
  public void close() {
    background.shutdownNow();
  }
}
