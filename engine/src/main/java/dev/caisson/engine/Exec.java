package dev.caisson.engine;

import dev.caisson.engine.streams.ProcessStreams;
import dev.caisson.linux.ProcessIdentity;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One process of a task: its init, or a further one. Holds the state; the rules between processes
 * are {@link Task}'s.
 *
 * <p>{@code lock} orders start, exit and delete of this process; an exit reported while a start is
 * under way is thereby handled after it. The state itself may be read at any time.
 */
final class Exec {
  final ReentrantLock lock = new ReentrantLock();
  private final Optional<ExecPlan> plan;
  private final CompletableFuture<ExecState.Exited> ended = new CompletableFuture<>();
  private volatile ExecState state;
  private volatile Optional<ProcessIdentity> process;
  private volatile Optional<ProcessStreams> streams = Optional.empty();
  private volatile boolean starting;

  Exec(Optional<ExecPlan> plan, Optional<ProcessIdentity> process, ExecState state) {
    this.plan = plan;
    this.process = process;
    this.state = state;
    if (state instanceof ExecState.Exited exited) {
      ended.complete(exited);
    }
  }

  /** Empty for init. */
  Optional<ExecPlan> plan() {
    return plan;
  }

  /** Empty for init. */
  Optional<ExecId> id() {
    return plan.map(ExecPlan::id);
  }

  ExecState state() {
    return state;
  }

  boolean hasExited() {
    return state instanceof ExecState.Exited;
  }

  /** How it ended; only once it has. */
  ExecState.Exited exit() {
    if (state instanceof ExecState.Exited exited) {
      return exited;
    }
    throw new IllegalStateException("a process that has not ended has no exit");
  }

  Optional<ProcessIdentity> process() {
    return process;
  }

  void prepared(ProcessIdentity made) {
    process = Optional.of(made);
  }

  Optional<ProcessStreams> streams() {
    return streams;
  }

  void connect(ProcessStreams made) {
    streams = Optional.of(made);
  }

  boolean starting() {
    return starting;
  }

  void starting(boolean now) {
    starting = now;
  }

  /** Pid as the host sees it; 0 when there is no process yet. */
  int pid() {
    return process.map(ProcessIdentity::pid).orElse(0);
  }

  /** Moves the state on. Waiters are not woken: see {@link #announceEnd}. */
  void apply(ExecState.Change change, String tried) {
    if (change instanceof ExecState.Change.Started(var made, _)) {
      process = Optional.of(made);
    }
    state = state.after(change, tried);
  }

  /** Wakes all that wait for the end; called once the end is on disk and published. */
  void announceEnd() {
    if (state instanceof ExecState.Exited exited) {
      ended.complete(exited);
    }
  }

  CompletableFuture<ExecState.Exited> ended() {
    return ended;
  }

  void closeStreams() {
    streams.ifPresent(ProcessStreams::close);
  }
}
