package dev.caisson.engine;

import dev.caisson.engine.ExecState.Change;
import dev.caisson.engine.spec.Resources;
import dev.caisson.engine.streams.ProcessStreams;
import dev.caisson.engine.streams.StreamPlan;
import dev.caisson.linux.ProcessIdentity;
import dev.caisson.linux.Signal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A container: one init process and any number of execs behind one wall.
 *
 * <p>Each call tells the states it is valid in; elsewhere it fails with {@code WRONG_STATE}. All
 * calls may be made from any thread. Lock order: removal, init's lock, the lock of one exec, the
 * record's monitor.
 */
public final class Task {
  /** How long output is read on after a process ended while others keep its pipes open. */
  static final Duration DRAIN_LIMIT = Duration.ofSeconds(1);

  private static final Duration TEARDOWN_LIMIT = Duration.ofSeconds(30);
  private static final Duration EXECS_LIMIT = Duration.ofSeconds(10);

  private final Node node;
  private final TaskPlan plan;
  private final Path directory;
  private final Exec init;
  private final ConcurrentMap<ExecId, Exec> execs = new ConcurrentHashMap<>();
  private final Object record = new Object(); // guards the order in which task.json is written
  private final ReentrantLock removal = new ReentrantLock(); // one delete at a time
  private volatile boolean paused;
  private volatile boolean ending; // init has died or is being ended: no new execs
  private volatile boolean deleted; // written under record: nothing may be saved any more

  private Task(Node node, TaskPlan plan, Exec init, boolean paused) {
    this.node = node;
    this.plan = plan;
    this.directory = directoryOf(node, plan.id());
    this.init = init;
    this.paused = paused;
  }

  static Path directoryOf(Node node, TaskId id) {
    return node.directory().resolve(id.value());
  }

  /**
   * Makes a task: streams, prepared init, record, event. Nothing is left after a failure.
   *
   * @param register makes the task known, so that whoever hears of it finds it
   */
  static Task create(Node node, TaskPlan plan, Consumer<Task> register) {
    var init = new Exec(Optional.empty(), Optional.empty(), new ExecState.Created());
    var task = new Task(node, plan, init, false);
    var tried = task.tried("create");
    ProcessStreams streams = null;
    // Nobody starts, ends or hears of it before its creation is told.
    init.lock.lock();
    try {
      Files.createDirectories(task.directory);
      task.save();
      streams = task.makeStreams(init);
      init.connect(streams);
      init.prepared(node.sandbox().create(plan, streams));
      streams.childStarted();
      task.save();
      register.accept(task);
      node.exits().watch(init.process().orElseThrow(), exit -> task.died(init, exit));
      node.events().publish(new PodEvent.Created(task.now(), plan.id(), plan.pod(), plan.bundle()));
      return task;
    } catch (PodException e) {
      task.undoCreate(streams, e);
      throw e;
    } catch (IOException | RuntimeException e) {
      var failure = new PodException(Reason.INTERNAL, tried, String.valueOf(e.getMessage()), "", e);
      task.undoCreate(streams, failure);
      throw failure;
    } finally {
      init.lock.unlock();
    }
  }

  private void undoCreate(@Nullable ProcessStreams streams, PodException failure) {
    try {
      if (init.process().isPresent()) {
        node.sandbox().delete(plan);
      }
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
    if (streams != null) {
      streams.close();
    }
    init.apply(new Change.Died(ExitStatus.NEVER_RAN, now()), tried("end"));
    init.announceEnd();
    try {
      removeDirectory();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /**
   * Takes a task over from a daemon that ended. One whose creation had not come far enough to be
   * worth keeping is removed.
   *
   * @param register makes the task known, before anything of it is told
   */
  static void takeOver(Node node, Path directory, HeldDescriptors held, Consumer<Task> register) {
    var saved = TaskRecord.read(directory);
    var plan = saved.plan();
    var init = new Exec(Optional.empty(), saved.init(), saved.state());
    var task = new Task(node, plan, init, saved.paused());
    if (saved.init().isEmpty()) {
      node.sandbox().delete(plan);
      try {
        for (var name : held.under(task.streamName(init))) {
          node.store().drop(name);
        }
        Directories.remove(directory);
      } catch (IOException e) {
        throw new PodException(
            Reason.INTERNAL, task.tried("remove"), String.valueOf(e.getMessage()), "", e);
      }
      return;
    }
    register.accept(task);
    task.adoptStreams(init, plan.streams(), held);
    if (saved.starting() && !init.hasExited() && node.sandbox().isStarted(plan)) {
      init.apply(new Change.Started(saved.init().get(), task.now()), task.tried("start"));
      node.events().publish(new PodEvent.Started(task.now(), plan.id(), init.pid()));
    }
    for (var exec : saved.execs()) {
      task.takeOverExec(exec, held);
    }
    task.saveOrWarn();
    if (!init.hasExited()) {
      node.exits().watch(saved.init().get(), exit -> task.died(init, exit));
    }
  }

  private void takeOverExec(TaskRecord.ExecRecord saved, HeldDescriptors held) {
    var id = saved.plan().id();
    var process =
        saved.state() instanceof ExecState.Running(var running, _)
            ? Optional.of(running)
            : saved.starting()
                ? node.sandbox().findExec(plan, id)
                : Optional.<ProcessIdentity>empty();
    var exec = new Exec(Optional.of(saved.plan()), process, saved.state());
    execs.put(id, exec);
    adoptStreams(exec, saved.plan().streams(), held);
    if (exec.hasExited()) {
      return;
    }
    if (process.isPresent()) {
      if (!(saved.state() instanceof ExecState.Running)) {
        exec.apply(new Change.Started(process.get(), now()), tried("start"));
        node.events().publish(new PodEvent.ExecStarted(now(), id(), id, exec.pid()));
      }
      node.exits().watch(process.get(), exit -> died(exec, exit));
    } else if (saved.starting()) {
      exec.apply(new Change.Died(ExitStatus.UNKNOWN, now()), tried("start"));
      exec.announceEnd();
    }
  }

  // ---- what it is ----

  /** Its name. */
  public TaskId id() {
    return plan.id();
  }

  /** What it was made from. */
  public TaskPlan plan() {
    return plan;
  }

  /** State of init. */
  public ExecState state() {
    return init.state();
  }

  /**
   * State of init ({@code exec} empty) or an exec.
   *
   * @throws PodException {@code NOT_FOUND} for an unknown exec
   */
  public ExecState state(Optional<ExecId> exec) {
    return find(exec).state();
  }

  /** Whether it is frozen on request. */
  public boolean isPaused() {
    return paused;
  }

  /** Pid of init on the host, also when only prepared; of an exec 0 until it started. */
  public int pid(Optional<ExecId> exec) {
    return find(exec).pid();
  }

  /** Further processes that were not deleted, with their states. */
  public Map<ExecId, ExecState> execs() {
    var all = new TreeMap<ExecId, ExecState>(Comparator.comparing(ExecId::value));
    execs.forEach((id, exec) -> all.put(id, exec.state()));
    return all;
  }

  /**
   * The exec that a process on the host is the first process of; empty for init and for unknown
   * ones.
   */
  public Optional<ExecId> execOf(int pid) {
    return execs.values().stream().filter(e -> e.pid() == pid).findAny().flatMap(Exec::id);
  }

  /** Streams of init or an exec, as long as it was not deleted. */
  public ProcessStreams streams(Optional<ExecId> exec) {
    return find(exec)
        .streams()
        .orElseThrow(() ->
            new PodException(Reason.WRONG_STATE, tried("reach streams of"), "they are closed", ""));
  }

  // ---- init and execs ----

  /** Runs the program of a {@code created} init. */
  public void start() {
    init.lock.lock();
    try {
      var tried = tried("start");
      requireCreated(init, tried);
      noteStarting(init, tried);
      try {
        node.sandbox().start(plan);
      } catch (RuntimeException e) {
        init.starting(false);
        endUnstarted(init, ExitStatus.NEVER_RAN);
        throw e;
      }
      var at = now();
      init.apply(new Change.Started(init.process().orElseThrow(), at), tried);
      init.starting(false);
      saveOrWarn();
      node.events().publish(new PodEvent.Started(at, id(), init.pid()));
    } finally {
      init.lock.unlock();
    }
  }

  /**
   * Makes a further process; {@code running} only.
   *
   * @throws PodException {@code ALREADY_EXISTS} for a known id (tested first)
   */
  public void createExec(ExecPlan wanted) {
    var tried = tried("create exec '" + wanted.id() + "' in");
    if (wanted.id().value().equals(id().value()) || execs.containsKey(wanted.id())) {
      throw new PodException(
          Reason.ALREADY_EXISTS, tried, "the exec id is in use", "choose another");
    }
    requireRunning(tried);
    var exec = new Exec(Optional.of(wanted), Optional.empty(), new ExecState.Created());
    // Nobody starts, ends or removes it before it is told.
    exec.lock.lock();
    try {
      if (execs.putIfAbsent(wanted.id(), exec) != null) {
        throw new PodException(
            Reason.ALREADY_EXISTS, tried, "the exec id is in use", "choose another");
      }
      try {
        // Once it is among the execs, init's end waits for it; before, it may have been missed.
        requireRunning(tried);
        exec.connect(makeStreams(exec));
        save(tried);
      } catch (PodException e) {
        abandon(exec, wanted.id());
        throw e;
      } catch (IOException e) {
        abandon(exec, wanted.id());
        throw new PodException(Reason.INTERNAL, tried, String.valueOf(e.getMessage()), "", e);
      }
      node.events().publish(new PodEvent.ExecAdded(now(), id(), wanted.id()));
    } finally {
      exec.lock.unlock();
    }
  }

  /** Whoever has found it meanwhile finds it ended. */
  private void abandon(Exec exec, ExecId id) {
    execs.remove(id);
    endUnstarted(exec, ExitStatus.NEVER_RAN);
  }

  /** Runs a {@code created} exec; init must be {@code running} and not paused. */
  public void startExec(ExecId id) {
    var exec = find(Optional.of(id));
    exec.lock.lock();
    try {
      var tried = tried("start exec '" + id + "' in");
      requireCreated(exec, tried);
      requireRunning(tried);
      noteStarting(exec, tried);
      ProcessIdentity process;
      var streams = exec.streams().orElseThrow();
      try {
        process = node.sandbox().exec(plan, exec.plan().orElseThrow(), streams);
      } catch (RuntimeException e) {
        exec.starting(false);
        endUnstarted(exec, ExitStatus.NEVER_RAN);
        throw e;
      }
      taken(streams, tried);
      var at = now();
      exec.apply(new Change.Started(process, at), tried);
      exec.starting(false);
      saveOrWarn();
      node.events().publish(new PodEvent.ExecStarted(at, id(), id, process.pid()));
      node.exits().watch(process, exit -> died(exec, exit));
    } finally {
      exec.lock.unlock();
    }
  }

  /** Completes when init (its teardown included) or the exec has ended. */
  public CompletableFuture<ExecState.Exited> ended(Optional<ExecId> exec) {
    return find(exec).ended().copy();
  }

  /**
   * Delivers a signal to init or one exec. A process that was not started ends with status 1
   * whatever the signal. One that died but is not recorded yet counts as reached.
   *
   * @throws PodException {@code NOT_FOUND} for an unknown exec and a process that has exited
   */
  public void kill(Optional<ExecId> exec, Signal signal) {
    var target = find(exec);
    if (target.state() instanceof ExecState.Created) {
      target.lock.lock();
      try {
        if (target.state() instanceof ExecState.Created) {
          endUnstarted(target, ExitStatus.NEVER_RAN);
          return;
        }
      } finally {
        target.lock.unlock();
      }
    }
    switch (target.state()) {
      case ExecState.Running(var process, _) -> {
        if (target == init && paused && signal.equals(Signal.KILL)) {
          // A frozen process cannot die; and with init all others go in any case.
          node.sandbox().signalAll(plan, signal);
        } else {
          node.sandbox().signal(plan, process, signal);
        }
      }
      case ExecState.Exited _ -> throw exited("signal", target);
      case ExecState.Created _ -> throw new IllegalStateException("handled above");
    }
  }

  /**
   * Delivers a signal to every process of the task, also those nobody asked for.
   *
   * @throws PodException {@code NOT_FOUND} when init has exited
   */
  public void killAll(Signal signal) {
    switch (init.state()) {
      case ExecState.Created _ -> kill(Optional.empty(), signal);
      case ExecState.Running _ -> node.sandbox().signalAll(plan, signal);
      case ExecState.Exited _ -> throw exited("signal", init);
    }
  }

  /**
   * Removes an exec that is {@code created} or {@code exited}.
   *
   * @return how it ended: 0 when it never ran
   */
  public ExecState.Exited deleteExec(ExecId id) {
    var exec = find(Optional.of(id));
    exec.lock.lock();
    try {
      var tried = tried("delete exec '" + id + "' in");
      if (execs.get(id) != exec) {
        throw new PodException(Reason.NOT_FOUND, tried, "there is no such exec", "");
      }
      if (exec.state() instanceof ExecState.Running) {
        throw new PodException(
            Reason.WRONG_STATE, tried, "it is running", "kill it and wait for its end first");
      }
      endUnstarted(exec, ExitStatus.DELETED);
      exec.closeStreams();
      var exit = exec.exit();
      node.events()
          .publish(new PodEvent.Deleted(now(), id(), Optional.of(id), exec.pid(), exit.status()));
      // Last, so that the events of the next exec of this id come after.
      execs.remove(id);
      saveOrWarn();
      return exit;
    } finally {
      exec.lock.unlock();
    }
  }

  /**
   * Removes the task, {@code created} or {@code exited}. Called by {@link Pods}, which frees the
   * id. When it fails it may be called again.
   *
   * @param condition throws when it may not be removed now; asked when init does not run and will
   *     not any more
   * @return how init ended: 0 when it never ran
   * @throws PodException {@code NOT_FOUND} when it was removed
   */
  ExecState.Exited delete(Runnable condition) {
    removal.lock();
    try {
      if (deleted) {
        throw new PodException(Reason.NOT_FOUND, tried("delete"), "there is no such task", "");
      }
      var exit = endForRemoval(condition);
      node.sandbox().delete(plan);
      execs.values().forEach(Exec::closeStreams);
      init.closeStreams();
      try {
        removeDirectory();
      } catch (IOException e) {
        throw new PodException(
            Reason.INTERNAL, tried("delete"), String.valueOf(e.getMessage()), "delete it again", e);
      }
      init.process().ifPresent(node.exits()::acknowledge);
      node.events()
          .publish(new PodEvent.Deleted(now(), id(), Optional.empty(), init.pid(), exit.status()));
      return exit;
    } finally {
      removal.unlock();
    }
  }

  private ExecState.Exited endForRemoval(Runnable condition) {
    awaitTeardown();
    try {
      if (init.state() instanceof ExecState.Running) {
        throw new PodException(
            Reason.WRONG_STATE,
            tried("delete"),
            "it is running",
            "kill it and wait for its end first");
      }
      condition.run();
      endUnstarted(init, ExitStatus.DELETED);
      return init.exit();
    } finally {
      init.lock.unlock();
    }
  }

  /** Takes init's lock, which whoever starts it or tears it down has so long. */
  private void awaitTeardown() {
    try {
      if (!init.lock.tryLock(TEARDOWN_LIMIT.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new PodException(
            Reason.UNAVAILABLE,
            tried("delete"),
            "its start or teardown takes longer than " + TEARDOWN_LIMIT.toSeconds() + " s",
            "try again");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PodException(Reason.UNAVAILABLE, tried("delete"), "interrupted", "", e);
    }
  }

  private void removeDirectory() throws IOException {
    synchronized (record) {
      deleted = true;
      try {
        Directories.remove(directory);
      } catch (IOException e) {
        deleted = false;
        throw e;
      }
    }
  }

  // ---- the whole task ----

  /** Freezes a {@code running} task. */
  public void pause() {
    init.lock.lock();
    try {
      var tried = tried("pause");
      requireRunning(tried);
      node.sandbox().pause(plan);
      paused = true;
      saveOrWarn();
      node.events().publish(new PodEvent.Paused(now(), id()));
    } finally {
      init.lock.unlock();
    }
  }

  /** Lets a paused task go on. */
  public void resume() {
    init.lock.lock();
    try {
      var tried = tried("resume");
      if (!paused || !(init.state() instanceof ExecState.Running)) {
        throw new PodException(Reason.WRONG_STATE, tried, "it is not paused", "");
      }
      node.sandbox().resume(plan);
      paused = false;
      saveOrWarn();
      node.events().publish(new PodEvent.Resumed(now(), id()));
    } finally {
      init.lock.unlock();
    }
  }

  /**
   * Changes limits of a {@code created} or {@code running} task, all that are named or none; old
   * and new must go together.
   *
   * @throws PodException {@code NOT_FOUND} when it has exited; {@code INVALID}, {@code UNSUPPORTED}
   *     or {@code WRONG_STATE} as {@link Sandbox#update} says
   */
  public void update(Resources resources) {
    // One at a time: each reads what the one before has set.
    init.lock.lock();
    try {
      requireAlive("update");
      node.sandbox().update(plan, resources);
    } finally {
      init.lock.unlock();
    }
  }

  /** Use of resources; {@code NOT_FOUND} when it has exited. */
  public Usage usage() {
    requireAlive("read statistics of");
    return node.sandbox().usage(plan);
  }

  /** All its processes by their ids on the host; {@code NOT_FOUND} when it has exited. */
  public List<Integer> processes() {
    requireAlive("list processes of");
    return node.sandbox().processes(plan);
  }

  // ---- ends ----

  /** Called once for the exit of each process, from a thread of {@link Exits}. */
  private void died(Exec exec, Exits.Exit exit) {
    try {
      node.background().execute(() -> afterDeath(exec, exit));
    } catch (RejectedExecutionException e) {
      // This engine was closed: who takes the task over is told again.
      return;
    }
  }

  private void afterDeath(Exec exec, Exits.Exit exit) {
    exec.lock.lock();
    try {
      if (exec.hasExited()) {
        node.exits().acknowledge(exit.process());
        return;
      }
      var isInit = exec == init;
      if (isInit) {
        endExecs();
      }
      exec.streams().ifPresent(s -> s.drain(DRAIN_LIMIT));
      if (isInit) {
        paused = false;
        tellOutOfMemory(exit.at());
      }
      exec.apply(new Change.Died(exit.status(), exit.at()), tried("end"));
      saveOrWarn();
      node.exits().acknowledge(exit.process());
      if (!deleted) {
        node.events()
            .publish(
                new PodEvent.Exited(
                    exit.at(), id(), exec.id(), exit.process().pid(), exit.status()));
      }
      exec.announceEnd();
      if (!isInit) {
        // Nothing comes any more; until the exec is deleted only its end is kept.
        exec.closeStreams();
      }
    } finally {
      exec.lock.unlock();
    }
  }

  private void tellOutOfMemory(Instant at) {
    try {
      if (node.sandbox().outOfMemoryKills(plan) > 0) {
        node.events().publish(new PodEvent.OutOfMemory(at, id()));
      }
    } catch (RuntimeException e) {
      warn("count kills for lack of memory in", e);
    }
  }

  /**
   * With init gone everything else of the task goes, and its execs' exits are told before init's.
   */
  private void endExecs() {
    ending = true;
    if (execs.isEmpty() && plan.ownPidNamespace()) {
      return;
    }
    var deadline = System.nanoTime() + EXECS_LIMIT.toNanos();
    killRest();
    try {
      for (var exec : execs.values()) {
        endIfUnstarted(exec, deadline);
      }
      // Those whose start was under way.
      killRest();
      for (var exec : execs.values()) {
        exec.ended().get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException | ExecutionException e) {
      // An exec's exit is told late rather than that of init never.
      return;
    }
  }

  /** Waits for a start that is under way. */
  private void endIfUnstarted(Exec exec, long deadline) throws InterruptedException {
    if (exec.state() instanceof ExecState.Created
        && exec.lock.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
      try {
        endUnstarted(exec, ExitStatus.NEVER_RAN);
      } finally {
        exec.lock.unlock();
      }
    }
  }

  /** In a pid namespace of its own the kernel does it. */
  private void killRest() {
    if (!plan.ownPidNamespace()) {
      killAllOrWarn();
    }
  }

  /** An end is told also when something of it is left; deleting the task tries again. */
  private void killAllOrWarn() {
    try {
      node.sandbox().signalAll(plan, Signal.KILL);
    } catch (RuntimeException e) {
      warn("end all processes of", e);
    }
  }

  /**
   * Ends a process that never ran. Init's end is told, an exec's is not. The caller holds the
   * exec's lock; does nothing when it is not {@code created} any more.
   */
  private void endUnstarted(Exec exec, ExitStatus status) {
    if (!(exec.state() instanceof ExecState.Created)) {
      return;
    }
    var at = now();
    exec.apply(new Change.Died(status, at), tried("end"));
    if (exec == init) {
      ending = true;
      killAllOrWarn();
      exec.streams().ifPresent(s -> s.drain(DRAIN_LIMIT));
      saveOrWarn();
      node.events().publish(new PodEvent.Exited(at, id(), Optional.empty(), exec.pid(), status));
    } else {
      exec.closeStreams();
      saveOrWarn();
    }
    exec.announceEnd();
  }

  // ---- rules ----

  private Exec find(Optional<ExecId> id) {
    if (id.isEmpty()) {
      return init;
    }
    var exec = execs.get(id.get());
    if (exec == null) {
      throw new PodException(
          Reason.NOT_FOUND,
          "find exec '" + id.get() + "' in task '" + id() + "'",
          "there is no such exec",
          "");
    }
    return exec;
  }

  private void requireCreated(Exec exec, String tried) {
    switch (exec.state()) {
      case ExecState.Created _ -> {}
      case ExecState.Running _ ->
          throw new PodException(Reason.WRONG_STATE, tried, "it is running already", "");
      case ExecState.Exited(var status, _) ->
          throw new PodException(
              Reason.WRONG_STATE,
              tried,
              "it exited with " + status.code(),
              "delete it and create it again");
    }
  }

  private void requireRunning(String tried) {
    switch (init.state()) {
      case ExecState.Running _ -> {
        if (ending) {
          throw new PodException(Reason.WRONG_STATE, tried, "its init has ended", "");
        }
        if (paused) {
          throw new PodException(Reason.WRONG_STATE, tried, "it is paused", "resume it first");
        }
      }
      case ExecState.Created _ ->
          throw new PodException(Reason.WRONG_STATE, tried, "it is not started", "start it first");
      case ExecState.Exited(var status, _) ->
          throw new PodException(Reason.WRONG_STATE, tried, "it exited with " + status.code(), "");
    }
  }

  private void requireAlive(String verb) {
    if (init.hasExited()) {
      throw exited(verb, init);
    }
  }

  private PodException exited(String verb, Exec exec) {
    var code = exec.state() instanceof ExecState.Exited(var status, _) ? status.code() : -1;
    return new PodException(
        Reason.NOT_FOUND,
        tried(verb + exec.id().map(id -> " exec '" + id + "' in").orElse("")),
        "it exited with " + code,
        "");
  }

  private String tried(String verb) {
    return verb + " task '" + plan.id() + "'";
  }

  private Instant now() {
    return node.clock().instant();
  }

  // ---- record and streams ----

  private void save(String tried) {
    try {
      save();
    } catch (IOException e) {
      throw new PodException(
          Reason.INTERNAL, tried, "its record cannot be written: " + e.getMessage(), "", e);
    }
  }

  /** Has the next daemon look whether the process runs, should this one die meanwhile. */
  private void noteStarting(Exec exec, String tried) {
    exec.starting(true);
    try {
      save(tried);
    } catch (PodException e) {
      exec.starting(false);
      throw e;
    }
  }

  /**
   * After the fact there is nobody to refuse to: a record that is behind is made good by the next
   * one.
   */
  private void saveOrWarn() {
    try {
      save();
    } catch (IOException e) {
      warn("write the record of", e);
    }
  }

  private void warn(String verb, Exception failure) {
    System.getLogger(Task.class.getName())
        .log(System.Logger.Level.WARNING, "{0}: {1}", tried(verb), failure.getMessage());
  }

  private void save() throws IOException {
    synchronized (record) {
      if (deleted) {
        return;
      }
      new TaskRecord(
              plan,
              init.process(),
              init.state(),
              init.starting(),
              paused,
              execs.values().stream()
                  .map(e ->
                      new TaskRecord.ExecRecord(e.plan().orElseThrow(), e.state(), e.starting()))
                  .toList())
          .write(directory);
    }
  }

  /** A terminal that does not arrive leaves the process without streams, but running and known. */
  private void taken(ProcessStreams streams, String tried) {
    try {
      streams.childStarted();
    } catch (IOException e) {
      System.getLogger(Task.class.getName())
          .log(System.Logger.Level.WARNING, "{0}: {1}", tried, e.getMessage());
    }
  }

  private String streamName(Exec exec) {
    return streamNames(id()) + exec.id().map(ExecId::value).orElse("");
  }

  /** What the names of all its streams begin with. */
  static String streamNames(TaskId id) {
    return "io/" + id + "/";
  }

  private ProcessStreams makeStreams(Exec exec) throws IOException {
    return ProcessStreams.create(
        node.pump(),
        exec.plan().map(ExecPlan::streams).orElse(plan.streams()),
        node.store(),
        streamName(exec),
        directory);
  }

  private void adoptStreams(Exec exec, StreamPlan streamPlan, HeldDescriptors held) {
    try {
      exec.connect(
          ProcessStreams.adopt(
              node.pump(), streamPlan, held.byName(), node.store(), streamName(exec), directory));
    } catch (IOException e) {
      warn("take over streams of", e);
    }
  }
}
