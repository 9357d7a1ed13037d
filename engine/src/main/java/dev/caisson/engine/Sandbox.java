package dev.caisson.engine;

import dev.caisson.engine.spec.Resources;
import dev.caisson.engine.streams.ProcessStreams;
import dev.caisson.linux.ProcessIdentity;
import dev.caisson.linux.Signal;
import java.util.List;
import java.util.Optional;

/**
 * The port behind which the walls stand: makes and controls the processes of tasks in one
 * isolation. The engine above keeps the states and rules; an implementation is only asked for what
 * is valid in the present state. Calls for different tasks may come at the same time.
 *
 * <p>Failures are {@link PodException}s. A failed {@link #create} or {@link #exec} leaves nothing
 * behind.
 */
public interface Sandbox {

  /**
   * Prepares the task's init, connected to the child's ends of {@code streams}; it waits for {@link
   * #start}.
   */
  ProcessIdentity create(TaskPlan task, ProcessStreams streams);

  /** Lets the prepared init run its program. */
  void start(TaskPlan task);

  /** Whether a prepared init was let run; asked after a crash in the middle of {@link #start}. */
  boolean isStarted(TaskPlan task);

  /** Runs a further process in a running task. */
  ProcessIdentity exec(TaskPlan task, ExecPlan exec, ProcessStreams streams);

  /** The process of an exec whose start was cut short by a crash, if it runs. */
  Optional<ProcessIdentity> findExec(TaskPlan task, ExecId exec);

  /**
   * Delivers a signal to one process.
   *
   * @return false when it is gone already
   */
  boolean signal(TaskPlan task, ProcessIdentity process, Signal signal);

  /**
   * Delivers a signal to every process of the task; SIGKILL reaches also frozen ones and those just
   * forking.
   */
  void signalAll(TaskPlan task, Signal signal);

  /** Freezes all processes of a running task. */
  void pause(TaskPlan task);

  /** Lets a frozen task go on. */
  void resume(TaskPlan task);

  /**
   * Changes limits of a prepared or running task: all that are named or, when it fails, none. The
   * engine calls it once at a time for each task.
   *
   * @throws PodException {@code INVALID} when old and new limits do not go together or a value is
   *     refused, {@code UNSUPPORTED} for a limit that cannot be changed, {@code WRONG_STATE} when
   *     the task uses more
   */
  void update(TaskPlan task, Resources resources);

  /** Present use of resources. */
  Usage usage(TaskPlan task);

  /** Number of processes the kernel has killed for lack of memory in this task. */
  long outOfMemoryKills(TaskPlan task);

  /** All processes of the task, by their ids on the host. */
  List<Integer> processes(TaskPlan task);

  /** Removes all that {@link #create} made, ending what still runs. Harmless when repeated. */
  void delete(TaskPlan task);
}
