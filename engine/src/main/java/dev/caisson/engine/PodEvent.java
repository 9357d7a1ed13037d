package dev.caisson.engine;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * Something that happened to a task. Order per task: created, started, exited, deleted; per exec:
 * exec added, exec started, exited, deleted; the exits of execs come before that of init, and every
 * process has at most one exit.
 */
public sealed interface PodEvent {
  /** When. */
  Instant at();

  /** Of which task. */
  TaskId task();

  /** Made; containerd's {@code /tasks/create}. */
  record Created(Instant at, TaskId task, PodId pod, Path bundle) implements PodEvent {}

  /** Its init runs; {@code /tasks/start}. */
  record Started(Instant at, TaskId task, int pid) implements PodEvent {}

  /** An exec was made; {@code /tasks/exec-added}. */
  record ExecAdded(Instant at, TaskId task, ExecId exec) implements PodEvent {}

  /** An exec runs; {@code /tasks/exec-started}. */
  record ExecStarted(Instant at, TaskId task, ExecId exec, int pid) implements PodEvent {}

  /** Init (no exec id) or an exec ended; {@code /tasks/exit}. */
  record Exited(Instant at, TaskId task, Optional<ExecId> exec, int pid, ExitStatus status)
      implements PodEvent {}

  /** Removed, or one of its execs; {@code /tasks/delete}. */
  record Deleted(Instant at, TaskId task, Optional<ExecId> exec, int pid, ExitStatus status)
      implements PodEvent {}

  /** The kernel killed a process of it for lack of memory; {@code /tasks/oom}. */
  record OutOfMemory(Instant at, TaskId task) implements PodEvent {}

  /** Frozen; {@code /tasks/paused}. */
  record Paused(Instant at, TaskId task) implements PodEvent {}

  /** Goes on; {@code /tasks/resumed}. */
  record Resumed(Instant at, TaskId task) implements PodEvent {}
}
