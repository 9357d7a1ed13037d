package dev.caisson.engine;

import dev.caisson.engine.spec.Resources;
import dev.caisson.engine.streams.ProcessStreams;
import dev.caisson.linux.ProcessIdentity;
import dev.caisson.linux.Signal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A wall of paper: it notes what it is asked for, and its processes die of every signal at once,
 * unless a test says that they ignore it. Each step can be made to fail or to wait.
 */
final class FakeSandbox implements Sandbox {
  private static final int SIGNALLED = 128;

  /** What it can be asked for. */
  enum Step {
    CREATE,
    START,
    EXEC,
    SIGNAL,
    SIGNAL_ALL,
    PAUSE,
    RESUME,
    UPDATE,
    OUT_OF_MEMORY_KILLS,
    DELETE
  }

  /** Something it was asked for; {@code about} is an exec id or a signal, else empty. */
  record Call(Step step, TaskId task, String about) {}

  /** A step that waits until it is let go. */
  record Gate(CountDownLatch reached, CountDownLatch open) implements AutoCloseable {
    void awaitReached() throws InterruptedException {
      if (!reached.await(30, TimeUnit.SECONDS)) {
        throw new AssertionError("the step was never reached");
      }
    }

    void letGo() {
      open.countDown();
    }

    @Override
    public void close() {
      letGo();
    }
  }

  private final FakeExits exits;
  private final AtomicInteger lastPid = new AtomicInteger(1_000_000);
  private final Map<TaskId, Set<ProcessIdentity>> alive = new LinkedHashMap<>(); // guarded by this
  private final List<Call> calls = new ArrayList<>(); // guarded by this
  private final Set<Integer> ignored = ConcurrentHashMap.newKeySet();
  private final Map<Step, RuntimeException> failures = new ConcurrentHashMap<>();
  private final Map<Step, Gate> gates = new ConcurrentHashMap<>();
  private final Map<ExecId, ProcessIdentity> execs = new ConcurrentHashMap<>();
  private final Set<TaskId> started = ConcurrentHashMap.newKeySet();
  private volatile long outOfMemoryKills;

  FakeSandbox(FakeExits exits) {
    this.exits = exits;
  }

  // ---- what a test says ----

  /** The step fails once, after it has waited. */
  PodException failOnce(Step step) {
    var failure = new PodException(Reason.INTERNAL, "do " + step, "it does not work today", "");
    failures.put(step, failure);
    return failure;
  }

  /** The step waits once. */
  Gate hold(Step step) {
    var gate = new Gate(new CountDownLatch(1), new CountDownLatch(1));
    gates.put(step, gate);
    return gate;
  }

  void ignore(Signal signal) {
    ignored.add(signal.number());
  }

  void killedForLackOfMemory() {
    outOfMemoryKills = 1;
  }

  /** A process ends by itself. */
  void end(ProcessIdentity process, int status) {
    synchronized (this) {
      alive.values().forEach(all -> all.remove(process));
    }
    exits.end(process, status);
  }

  synchronized boolean isAlive(ProcessIdentity process) {
    return alive.values().stream().anyMatch(all -> all.contains(process));
  }

  synchronized List<Call> calls(Step step) {
    return calls.stream().filter(call -> call.step() == step).toList();
  }

  // ---- the port ----

  private void reach(Step step, TaskId task, String about) {
    synchronized (this) {
      calls.add(new Call(step, task, about));
    }
    var gate = gates.remove(step);
    if (gate != null) {
      gate.reached().countDown();
      try {
        if (!gate.open().await(30, TimeUnit.SECONDS)) {
          throw new AssertionError("step " + step + " was not let go");
        }
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
    var failure = failures.remove(step);
    if (failure != null) {
      throw failure;
    }
  }

  private synchronized ProcessIdentity make(TaskId task) {
    var process = new ProcessIdentity(lastPid.incrementAndGet(), 7);
    alive.computeIfAbsent(task, _ -> new LinkedHashSet<>()).add(process);
    return process;
  }

  @Override
  public ProcessIdentity create(TaskPlan task, ProcessStreams streams) {
    reach(Step.CREATE, task.id(), "");
    return make(task.id());
  }

  @Override
  public void start(TaskPlan task) {
    reach(Step.START, task.id(), "");
    started.add(task.id());
  }

  @Override
  public boolean isStarted(TaskPlan task) {
    return started.contains(task.id());
  }

  @Override
  public ProcessIdentity exec(TaskPlan task, ExecPlan exec, ProcessStreams streams) {
    reach(Step.EXEC, task.id(), exec.id().value());
    var process = make(task.id());
    execs.put(exec.id(), process);
    return process;
  }

  @Override
  public Optional<ProcessIdentity> findExec(TaskPlan task, ExecId exec) {
    return Optional.ofNullable(execs.get(exec));
  }

  @Override
  public boolean signal(TaskPlan task, ProcessIdentity process, Signal signal) {
    reach(Step.SIGNAL, task.id(), signal.toString());
    return deliver(process, signal);
  }

  private boolean deliver(ProcessIdentity process, Signal signal) {
    if (!isAlive(process)) {
      return false;
    }
    if (!ignored.contains(signal.number())) {
      end(process, SIGNALLED + signal.number());
    }
    return true;
  }

  @Override
  public void signalAll(TaskPlan task, Signal signal) {
    reach(Step.SIGNAL_ALL, task.id(), signal.toString());
    all(task.id()).forEach(process -> deliver(process, signal));
  }

  private synchronized List<ProcessIdentity> all(TaskId task) {
    return List.copyOf(alive.getOrDefault(task, Set.of()));
  }

  @Override
  public void pause(TaskPlan task) {
    reach(Step.PAUSE, task.id(), "");
  }

  @Override
  public void resume(TaskPlan task) {
    reach(Step.RESUME, task.id(), "");
  }

  @Override
  public void update(TaskPlan task, Resources resources) {
    reach(
        Step.UPDATE,
        task.id(),
        resources.pids().flatMap(Resources.Pids::limit).map(limit -> "pids " + limit).orElse(""));
  }

  @Override
  public Usage usage(TaskPlan task) {
    return new Usage(Instant.EPOCH, 1, 0, 0, 0, 0, 0, 0, 0, 0, all(task.id()).size(), 0, 0, 0);
  }

  @Override
  public long outOfMemoryKills(TaskPlan task) {
    reach(Step.OUT_OF_MEMORY_KILLS, task.id(), "");
    return outOfMemoryKills;
  }

  @Override
  public List<Integer> processes(TaskPlan task) {
    return all(task.id()).stream().map(ProcessIdentity::pid).toList();
  }

  @Override
  public void delete(TaskPlan task) {
    reach(Step.DELETE, task.id(), "");
    all(task.id()).forEach(process -> deliver(process, Signal.KILL));
    started.remove(task.id());
  }
}
