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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A container: one init process and any number of execs behind one wall.
 *
 * <p>Each call tells the states it is valid in; elsewhere it fails with {@code WRONG_STATE}. All
 * calls may be made from any thread. Lock order: an exec's lock, then the record's monitor; never
 * two execs' locks at a time.
 */
public final class Task {
  /** How long output is read on after a process ended while others keep its pipes open. */
  static final Duration DRAIN_LIMIT = Duration.ofSeconds(1);

  private static final Duration EXECS_LIMIT = Duration.ofSeconds(10);

  private final Node node;
  private final TaskPlan plan;
  private final Path directory;
  private final Exec init;
  private final ConcurrentMap<ExecId, Exec> execs = new ConcurrentHashMap<>();
  private final Object record = new Object(); // guards the order in which task.json is written
  private volatile boolean paused;
  private volatile boolean deleted;

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

  /** Makes a task: streams, prepared init, record, event. Nothing is left after a failure. */
  static Task create(Node node, TaskPlan plan) {
    var init = new Exec(Optional.empty(), Optional.empty(), new ExecState.Created());
    var task = new Task(node, plan, init, false);
    var tried = task.tried("create");
    ProcessStreams streams = null;
    try {
      Files.createDirectories(task.directory);
      task.save();
      streams = task.makeStreams(init);
      init.connect(streams);
      init.prepared(node.sandbox().create(plan, streams));
      streams.childStarted();
      task.save();
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
    }
  }

  private void undoCreate(@Nullable ProcessStreams streams, PodException failure) {
    deleted = true;
    try {
      if (init.process().isPresent()) {
        node.sandbox().delete(plan);
      }
    } catch (PodException e) {
      failure.addSuppressed(e);
    }
    if (streams != null) {
      streams.close();
    }
    try {
      Directories.remove(directory);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /**
   * Takes a task over from a daemon that ended.
   *
   * @return empty when its creation had not come far enough to be worth keeping; all of it is
   *     removed then
   */
  static Optional<Task> takeOver(Node node, Path directory, HeldDescriptors held) {
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
      return Optional.empty();
    }
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
    return Optional.of(task);
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
      init.starting(true);
      save(tried);
      try {
        node.sandbox().start(plan);
      } catch (PodException e) {
        init.starting(false);
        endUnstarted(init, ExitStatus.NEVER_RAN);
        throw e;
      }
      var at = now();
      init.apply(new Change.Started(init.process().orElseThrow(), at), tried);
      init.starting(false);
      save(tried);
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
    if (execs.putIfAbsent(wanted.id(), exec) != null) {
      throw new PodException(
          Reason.ALREADY_EXISTS, tried, "the exec id is in use", "choose another");
    }
    try {
      exec.connect(makeStreams(exec));
      save(tried);
    } catch (PodException e) {
      execs.remove(wanted.id());
      exec.closeStreams();
      throw e;
    } catch (IOException e) {
      execs.remove(wanted.id());
      throw new PodException(Reason.INTERNAL, tried, String.valueOf(e.getMessage()), "", e);
    }
    node.events().publish(new PodEvent.ExecAdded(now(), id(), wanted.id()));
  }

  /** Runs a {@code created} exec; init must be {@code running} and not paused. */
  public void startExec(ExecId id) {
    var exec = find(Optional.of(id));
    exec.lock.lock();
    try {
      var tried = tried("start exec '" + id + "' in");
      requireCreated(exec, tried);
      requireRunning(tried);
      exec.starting(true);
      save(tried);
      ProcessIdentity process;
      var streams = exec.streams().orElseThrow();
      try {
        process = node.sandbox().exec(plan, exec.plan().orElseThrow(), streams);
      } catch (PodException e) {
        exec.starting(false);
        exec.apply(new Change.Died(ExitStatus.NEVER_RAN, now()), tried);
        exec.closeStreams();
        saveOrWarn();
        exec.announceEnd();
        throw e;
      }
      taken(streams, tried);
      var at = now();
      exec.apply(new Change.Started(process, at), tried);
      exec.starting(false);
      save(tried);
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
      case ExecState.Running(var process, _) -> node.sandbox().signal(plan, process, signal);
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
      switch (exec.state()) {
        case ExecState.Running _ ->
            throw new PodException(
                Reason.WRONG_STATE, tried, "it is running", "kill it and wait for its end first");
        case ExecState.Created _ -> endUnstarted(exec, ExitStatus.DELETED);
        case ExecState.Exited _ -> {}
      }
      if (!execs.remove(id, exec)) {
        throw new PodException(Reason.NOT_FOUND, tried, "there is no such exec", "");
      }
      exec.closeStreams();
      saveOrWarn();
    } finally {
      exec.lock.unlock();
    }
    var exit = await(exec, "delete exec '" + id + "' in");
    node.events()
        .publish(new PodEvent.Deleted(now(), id(), Optional.of(id), exec.pid(), exit.status()));
    return exit;
  }

  /**
   * Removes the task, {@code created} or {@code exited}. Called by {@link Pods}, which frees the
   * id.
   *
   * @return how init ended: 0 when it never ran
   */
  ExecState.Exited delete() {
    init.lock.lock();
    try {
      switch (init.state()) {
        case ExecState.Running _ ->
            throw new PodException(
                Reason.WRONG_STATE,
                tried("delete"),
                "it is running",
                "kill it and wait for its end first");
        case ExecState.Created _ -> endUnstarted(init, ExitStatus.DELETED);
        case ExecState.Exited _ -> {}
      }
    } finally {
      init.lock.unlock();
    }
    var exit = await(init, "delete");
    node.sandbox().delete(plan);
    execs.values().forEach(Exec::closeStreams);
    init.closeStreams();
    deleted = true;
    try {
      synchronized (record) {
        Directories.remove(directory);
      }
    } catch (IOException e) {
      throw new PodException(
          Reason.INTERNAL, tried("delete"), String.valueOf(e.getMessage()), "delete it again", e);
    }
    init.process().ifPresent(node.exits()::acknowledge);
    node.events()
        .publish(new PodEvent.Deleted(now(), id(), Optional.empty(), init.pid(), exit.status()));
    return exit;
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
      save(tried);
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
      save(tried);
      node.events().publish(new PodEvent.Resumed(now(), id()));
    } finally {
      init.lock.unlock();
    }
  }

  /** Changes limits of a {@code created} or {@code running} task. */
  public void update(Resources resources) {
    requireAlive("update");
    node.sandbox().update(plan, resources);
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
    node.background().execute(() -> afterDeath(exec, exit));
  }

  private void afterDeath(Exec exec, Exits.Exit exit) {
    exec.lock.lock();
    try {
      if (exec.hasExited() || deleted) {
        node.exits().acknowledge(exit.process());
        return;
      }
      var isInit = exec == init;
      if (isInit) {
        endExecs();
      }
      exec.streams().ifPresent(s -> s.drain(DRAIN_LIMIT));
      if (isInit && node.sandbox().outOfMemoryKills(plan) > 0) {
        node.events().publish(new PodEvent.OutOfMemory(exit.at(), id()));
      }
      exec.apply(new Change.Died(exit.status(), exit.at()), tried("end"));
      saveOrWarn();
      node.exits().acknowledge(exit.process());
      node.events()
          .publish(
              new PodEvent.Exited(exit.at(), id(), exec.id(), exit.process().pid(), exit.status()));
      exec.announceEnd();
    } finally {
      exec.lock.unlock();
    }
  }

  /**
   * With init gone everything else of the task goes, and its execs' exits are told before init's.
   */
  private void endExecs() {
    if (!plan.ownPidNamespace()) {
      node.sandbox().signalAll(plan, Signal.KILL);
    }
    var deadline = System.nanoTime() + EXECS_LIMIT.toNanos();
    for (var exec : execs.values()) {
      if (exec.state() instanceof ExecState.Created && exec.lock.tryLock()) {
        try {
          endUnstarted(exec, ExitStatus.NEVER_RAN);
        } finally {
          exec.lock.unlock();
        }
        continue;
      }
      try {
        exec.ended().get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      } catch (TimeoutException | ExecutionException e) {
        // Its exit is told late rather than that of init never.
        continue;
      }
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
      node.sandbox().signalAll(plan, Signal.KILL);
      exec.streams().ifPresent(s -> s.drain(DRAIN_LIMIT));
      saveOrWarn();
      node.events().publish(new PodEvent.Exited(at, id(), Optional.empty(), exec.pid(), status));
    } else {
      exec.closeStreams();
      saveOrWarn();
    }
    exec.announceEnd();
  }

  private ExecState.Exited await(Exec exec, String verb) {
    try {
      return exec.ended().get(30, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new PodException(
          Reason.UNAVAILABLE, tried(verb), "its teardown takes longer than 30 s", "try again", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PodException(Reason.UNAVAILABLE, tried(verb), "interrupted", "", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("an end is never exceptional", e);
    }
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

  /**
   * After the fact there is nobody to refuse to: a record that is behind is made good by the next
   * one.
   */
  private void saveOrWarn() {
    try {
      save();
    } catch (IOException e) {
      System.getLogger(Task.class.getName())
          .log(System.Logger.Level.WARNING, "record of task {0}: {1}", id(), e.getMessage());
    }
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
    return "io/" + id() + "/" + exec.id().map(ExecId::value).orElse("");
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
      System.getLogger(Task.class.getName())
          .log(System.Logger.Level.WARNING, "streams of task {0}: {1}", id(), e.getMessage());
    }
  }
}
