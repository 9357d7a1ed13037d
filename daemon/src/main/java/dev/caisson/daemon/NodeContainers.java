package dev.caisson.daemon;

import dev.caisson.daemon.container.ContainerSpec;
import dev.caisson.daemon.container.Interpreters;
import dev.caisson.daemon.container.ResourceSection;
import dev.caisson.daemon.container.Rights;
import dev.caisson.daemon.container.RootView;
import dev.caisson.engine.ExecId;
import dev.caisson.engine.ExecPlan;
import dev.caisson.engine.ExecState;
import dev.caisson.engine.HeldDescriptors;
import dev.caisson.engine.PodEvent;
import dev.caisson.engine.PodException;
import dev.caisson.engine.PodId;
import dev.caisson.engine.Pods;
import dev.caisson.engine.Task;
import dev.caisson.engine.TaskId;
import dev.caisson.engine.TaskPlan;
import dev.caisson.engine.process.LowLevelRuntimes;
import dev.caisson.engine.spec.Spec;
import dev.caisson.engine.streams.LogReader;
import dev.caisson.engine.streams.Parting;
import dev.caisson.engine.streams.StreamPlan;
import dev.caisson.json.Json;
import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerInfo;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.ContainerState;
import dev.caisson.library.ContainerSummary;
import dev.caisson.library.Containers;
import dev.caisson.library.ExecSettings;
import dev.caisson.library.ExitStatus;
import dev.caisson.library.Limits;
import dev.caisson.library.ProcessEntry;
import dev.caisson.library.Reason;
import dev.caisson.library.Root;
import dev.caisson.library.Stats;
import dev.caisson.library.TerminalSize;
import dev.caisson.library.protocol.Attached;
import dev.caisson.library.protocol.Request;
import dev.caisson.library.protocol.StreamEnd;
import dev.caisson.library.protocol.StreamOpened;
import dev.caisson.library.protocol.Wire;
import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Signal;
import dev.caisson.linux.Terminal;
import dev.caisson.oci.Image;
import dev.caisson.oci.LayerStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The library's calls on containers. A container is a record on disk; while it runs it is also a
 * task of the engine, the only one of its pod. All calls may be made from any thread; those that
 * change one container follow one another.
 */
final class NodeContainers {
  private static final Duration USUAL_GRACE = Duration.ofSeconds(10);
  private static final Duration KILL_LIMIT = Duration.ofSeconds(30);
  private static final long END_SEEN_MILLIS = 1_000;
  private static final int SHORT_ID = 12;
  private static final int UNKNOWN_EXIT = 255;

  private final Root root;
  private final ContainerStore store;
  private final NodeImages images;
  private final LayerStore layers;
  private final Pods pods;
  private final LowLevelRuntimes runtimes;
  private final Rights rights;
  private final Departed departed;
  private final Attachments attachments = new Attachments();
  private final ExecEnds execEnds = new ExecEnds();
  private final ConcurrentMap<String, ReentrantLock> locks = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, CompletableFuture<ExitStatus>> ends =
      new ConcurrentHashMap<>();
  private final Set<String> outOfMemory = ConcurrentHashMap.newKeySet();
  private final Set<String> freshlyPrepared = ConcurrentHashMap.newKeySet();

  NodeContainers(
      Root root,
      ContainerStore store,
      NodeImages images,
      LayerStore layers,
      Pods pods,
      LowLevelRuntimes runtimes,
      Rights rights,
      Departed departed) {
    this.root = root;
    this.store = store;
    this.images = images;
    this.layers = layers;
    this.pods = pods;
    this.runtimes = runtimes;
    this.rights = rights;
    this.departed = departed;
    pods.events().subscribe(this::hear);
  }

  /**
   * Brings records and the engine's tasks together after a start of the daemon.
   *
   * @param unfinished ids of containers that a crash left without a record
   * @param held what the engine was given
   */
  void takeOver(List<String> unfinished, HeldDescriptors held) {
    for (var record : store.all()) {
      var task = pods.find(new TaskId(record.id()));
      if (task.isPresent()) {
        ends.put(record.id(), new CompletableFuture<>());
        if (task.get().state() instanceof ExecState.Exited exited) {
          finishLater(record.id(), exited);
        }
      } else if (record.started().isPresent() && record.exit().isEmpty()) {
        discardLost(record, held);
        finish(record.id(), new ExitStatus(UNKNOWN_EXIT, Instant.now(), false));
      }
    }
    var known = new HashSet<String>();
    store.all().forEach(record -> known.add(record.id()));
    for (var task : pods.all()) {
      if (!known.contains(task.id().value())) {
        abandon(task);
      }
    }
    for (var id : unfinished) {
      try {
        layers.unmount(rootfs(id));
        removeDirectories(id);
      } catch (IOException e) {
        log("remove what is left of container " + id, e);
      }
    }
  }

  /** A task that the engine knows nothing of any more may still run. */
  private void discardLost(ContainerRecord record, HeldDescriptors held) {
    try {
      pods.discard(plan(record, bundle(record.id())), held);
    } catch (IOException | PodException e) {
      log("remove what is left of the task of container '" + record.name() + "'", e);
    }
  }

  /** A task whose container's record did not reach the disk. */
  private void abandon(Task task) {
    try {
      task.killAll(Signal.KILL);
      task.ended(Optional.empty()).get(KILL_LIMIT.toSeconds(), TimeUnit.SECONDS);
      pods.delete(task.id());
      layers.unmount(rootfs(task.id().value()));
    } catch (IOException | PodException | ExecutionException | TimeoutException e) {
      log("remove the leftover task " + task.id(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- making, starting, removing ----

  Containers.Created create(ContainerSettings settings) {
    settings.name().ifPresent(Names::check);
    ResourceSection.of(settings.limits());
    var runtime = runtimes.choose(settings.runtime());
    var image = images.forContainer(settings.image(), settings.platform());
    ContainerSpec.stopSignal(image.config(), settings);
    var id = Names.newId();
    settings.name().ifPresent(name -> store.reserve(id, name));
    var name = settings.name().orElseGet(() -> store.reserveMadeUp(id));
    // Until the record is on disk nothing else says that these layers are needed.
    try (var _ = layers.lease(image.layers())) {
      var spec = prepare(id, image, settings);
      var record =
          new ContainerRecord(
              id,
              name,
              settings,
              image.id().value(),
              image.layers().stream().map(Image.ChainId::hex).toList(),
              spec.command(),
              runtime.toString(),
              Instant.now(),
              spec.warnings(),
              Optional.empty(),
              Optional.empty(),
              spec.spec(),
              Optional.empty());
      store.save(record, !settings.removeAtEnd());
      freshlyPrepared.add(id);
      return new Containers.Created(id, spec.warnings());
    } catch (IOException | RuntimeException e) {
      undoCreate(id, name, e);
      throw e instanceof RuntimeException failure
          ? failure
          : internal("create container '" + name + "'", e);
    }
  }

  /** Mounts the root and makes the specification. */
  private ContainerSpec prepare(String id, Image image, ContainerSettings settings)
      throws IOException {
    layers.mount(image.layers(), store.directoryOf(id).resolve("changes"), rootfs(id));
    try (var handle = DirectoryHandle.open(rootfs(id))) {
      return ContainerSpec.of(
          image.config(),
          settings,
          new ContainerSpec.Place(
              id, rootfs(id), store.directoryOf(id).resolve("files"), cgroup(id)),
          new RootView(handle),
          rights);
    }
  }

  private void undoCreate(String id, String name, Exception failure) {
    try {
      layers.unmount(rootfs(id));
      removeDirectories(id);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
    store.release(id, name);
  }

  void start(String word) {
    var id = store.get(word).id();
    locked(id, () -> start(store.get(id)));
  }

  private void start(ContainerRecord record) {
    var id = record.id();
    var tried = "start container '" + record.name() + "'";
    checkWhole(record, tried);
    if (pods.find(new TaskId(id)).isPresent()) {
      throw new CaissonException(Reason.WRONG_STATE, tried, "it is running already", "");
    }
    try {
      var prepared = freshlyPrepared.remove(id) ? record : prepareAgain(record);
      var bundle = Files.createDirectories(bundle(id));
      Files.write(bundle.resolve("config.json"), Json.write(prepared.spec()));
      var task = pods.create(plan(prepared, bundle));
      try {
        checkInterpreters(tried, task, prepared.spec());
        attachments.connectWaiting(id, task.streams(Optional.empty()));
        // Whoever waits for a container that was not started yet waits for this run.
        ends.compute(id, (_, end) -> end == null || end.isDone() ? new CompletableFuture<>() : end);
        // On disk before the program runs: a daemon that comes after knows that it did.
        store.save(prepared.started(Instant.now()), false);
        task.start();
      } catch (RuntimeException e) {
        store.save(prepared, false);
        pods.delete(task.id());
        throw e;
      }
    } catch (IOException e) {
      throw internal(tried, e);
    } catch (RuntimeException e) {
      if (record.settings().removeAtEnd()) {
        removeStopped(id);
      }
      throw e instanceof PodException failure ? Failures.translate(failure, tried) : e;
    }
  }

  /** Of a damaged container nobody knows what it is to be. */
  private static void checkWhole(ContainerRecord record, String tried) {
    if (record.damage().isPresent()) {
      throw new CaissonException(
          Reason.WRONG_STATE,
          tried,
          record.damage().get(),
          "it can be stopped and removed: 'caisson rm -f " + record.name() + "'");
    }
  }

  /** Its init waits in the mounts of its own already, so what it is going to see is seen. */
  private static void checkInterpreters(String tried, Task task, Spec spec) {
    var pid = Integer.toString(task.pid(Optional.empty()));
    DirectoryHandle handle;
    try {
      handle = DirectoryHandle.open(Path.of("/proc", pid, "root"));
    } catch (KernelException e) {
      // It ended already: that is told soon.
      return;
    }
    try (handle) {
      Interpreters.check(tried, spec.process().orElseThrow(), new RootView(handle), List.of());
    }
  }

  private ContainerRecord prepareAgain(ContainerRecord record) throws IOException {
    var image = images.forContainer(record.imageId(), Optional.empty());
    var spec = prepare(record.id(), image, record.settings());
    return record.prepared(spec.warnings(), spec.spec());
  }

  private TaskPlan plan(ContainerRecord record, Path bundle) {
    var settings = record.settings();
    return new TaskPlan(
        new PodId(record.id()),
        new TaskId(record.id()),
        bundle,
        record.damage().isPresent() ? runtimes.choose("auto") : Path.of(record.runtime()),
        cgroup(record.id()),
        new StreamPlan(
            settings.process().terminal(),
            settings.process().stdin(),
            settings.process().terminalSize().map(NodeContainers::size),
            settings.log().kept()
                ? Optional.of(
                    new StreamPlan.LogPlan(
                        logFile(record.id()), settings.log().maxBytes(), settings.log().maxFiles()))
                : Optional.empty()),
        !settings.namespaces().contains("pid"));
  }

  void remove(String word, boolean force) {
    var record = store.get(word);
    do {
      var running = alive(record.id());
      if (running.isPresent()) {
        if (!force) {
          throw new CaissonException(
              Reason.WRONG_STATE,
              "remove container '" + record.name() + "'",
              "it is running",
              "stop it first, or use --force");
        }
        killAndWait(record, running.get());
      }
      // Somebody may start it again between its end and its removal.
    } while (!removeUnlessAlive(record.id(), force));
  }

  private Optional<Task> alive(String id) {
    return pods.find(new TaskId(id)).filter(NodeContainers::isAlive);
  }

  private boolean removeUnlessAlive(String id, boolean force) {
    var removed = new AtomicBoolean();
    locked(
        id,
        () -> {
          if (!force || alive(id).isEmpty()) {
            removeStopped(id);
            removed.set(true);
          }
        });
    return removed.get();
  }

  private void removeStopped(String id) {
    var record = store.find(id);
    if (record.isEmpty()) {
      return;
    }
    try {
      if (pods.find(new TaskId(id)).isPresent()) {
        pods.delete(new TaskId(id));
      }
      attachments.drop(id);
      layers.unmount(rootfs(id));
      removeDirectories(id);
      var exit = exitOf(id);
      store.forget(record.get());
      freshlyPrepared.remove(id);
      endWaits(id, exit);
      locks.remove(id);
    } catch (IOException e) {
      throw internal("remove container '" + record.get().name() + "'", e);
    }
  }

  private void removeDirectories(String id) throws IOException {
    removeTree(rootfs(id));
    removeTree(bundle(id));
    removeTree(store.directoryOf(id));
  }

  private static void removeTree(Path path) throws IOException {
    if (!Files.exists(path)) {
      return;
    }
    try (var parent = DirectoryHandle.open(Objects.requireNonNull(path.getParent(), "a root"))) {
      parent.removeTree(path.getFileName().toString());
    }
  }

  // ---- ends ----

  private void hear(PodEvent event) {
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

  private void finishLater(String id, ExecState.Exited exited) {
    Thread.ofPlatform()
        .daemon()
        .name("finish-" + id.substring(0, Math.min(SHORT_ID, id.length())))
        .start(() ->
            finish(
                id, new ExitStatus(exited.status().code(), exited.at(), outOfMemory.remove(id))));
  }

  /** A container's end: its task and mount go, its record tells how it ended, or goes as well. */
  private void finish(String id, ExitStatus exit) {
    var end = ends.get(id);
    try {
      locked(
          id,
          () -> {
            var record = store.find(id);
            if (record.isEmpty() || record.get().started().isEmpty()) {
              return;
            }
            try {
              if (pods.find(new TaskId(id)).isPresent()) {
                pods.delete(new TaskId(id));
              }
              if (record.get().settings().removeAtEnd()) {
                departed.add(id, exit);
                removeStopped(id);
              } else {
                // In memory first: a full disk must not make it unknown how this one ended.
                store.remember(record.get().ended(exit));
                layers.unmount(rootfs(id));
                store.save(record.get().ended(exit), true);
              }
            } catch (IOException e) {
              throw internal("end container '" + record.get().name() + "'", e);
            }
          });
    } catch (RuntimeException e) {
      log("end of container " + id, e);
    } finally {
      if (end != null) {
        end.complete(exit);
      }
    }
  }

  /** Completes with how a container ended; at once when it has. */
  CompletableFuture<ExitStatus> ended(String word) {
    var gone = departed.find(word);
    if (gone.isPresent() && store.find(word).isEmpty()) {
      return CompletableFuture.completedFuture(gone.get());
    }
    var id = idOf(word);
    var running = ends.get(id);
    var known = exitOf(id);
    if (running != null && !running.isDone()) {
      // How it ended may be known already, but not all of it is cleared away.
      return running.copy();
    }
    if (known.isPresent()) {
      return CompletableFuture.completedFuture(known.get());
    }
    var end = ends.computeIfAbsent(id, _ -> new CompletableFuture<>());
    if (store.find(id).isEmpty()) {
      // Removed since it was looked for: nobody else would complete this any more.
      endWaits(id, exitOf(id));
    }
    return end.copy();
  }

  private String idOf(String word) {
    try {
      return store.get(word).id();
    } catch (CaissonException e) {
      // It may have ended and been removed between the look at those and at these.
      if (departed.find(word).isPresent()) {
        return word;
      }
      throw e;
    }
  }

  private Optional<ExitStatus> exitOf(String id) {
    return departed.find(id).or(() -> store.find(id).flatMap(ContainerRecord::exit));
  }

  /** A removed container never ends any more: who waits is told what is known of its end. */
  private void endWaits(String id, Optional<ExitStatus> exit) {
    var end = ends.remove(id);
    if (end != null) {
      end.complete(exit.orElse(new ExitStatus(UNKNOWN_EXIT, Instant.now(), false)));
    }
  }

  /** Completes with how an exec ended. */
  CompletableFuture<ExitStatus> execEnded(String word, String exec) {
    return execEnds
        .find(exec)
        .orElseGet(() -> execEnd(task(word, "wait for exec '" + exec + "' in"), new ExecId(exec)));
  }

  private static CompletableFuture<ExitStatus> execEnd(Task task, ExecId exec) {
    return task.ended(Optional.of(exec))
        .thenApply(exited -> new ExitStatus(exited.status().code(), exited.at(), false));
  }

  void stop(String word, Optional<Duration> grace) {
    var record = store.get(word);
    var task = pods.find(new TaskId(record.id())).filter(NodeContainers::isAlive);
    if (task.isEmpty()) {
      return;
    }
    var end = ended(record.id());
    var signal = stopSignal(record);
    var patience = grace.or(record.settings()::stopGrace).orElse(USUAL_GRACE);
    try {
      if (!patience.isZero()) {
        task.get().kill(Optional.empty(), signal);
        if (task.get().isPaused()) {
          task.get().resume();
        }
        end.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        return;
      }
    } catch (TimeoutException e) {
      // Its time is up.
    } catch (PodException e) {
      if (e.reason() != dev.caisson.engine.Reason.NOT_FOUND && !hasJustEnded(task.get(), e)) {
        throw e;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    } catch (ExecutionException e) {
      throw new IllegalStateException("an end is never exceptional", e);
    }
    killAndWait(record, task.get());
  }

  private Signal stopSignal(ContainerRecord record) {
    if (record.damage().isPresent()) {
      return Signal.TERM;
    }
    var image = images.forContainer(record.imageId(), Optional.empty());
    return ContainerSpec.stopSignal(image.config(), record.settings());
  }

  private void killAndWait(ContainerRecord record, Task task) {
    var end = ended(record.id());
    try {
      task.killAll(Signal.KILL);
    } catch (PodException e) {
      if (e.reason() != dev.caisson.engine.Reason.NOT_FOUND && !hasJustEnded(task, e)) {
        throw e;
      }
    }
    try {
      end.get(KILL_LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException e) {
      throw new CaissonException(
          Reason.TIMEOUT,
          "kill container '" + record.name() + "'",
          "it is still there after " + KILL_LIMIT.toSeconds() + " s",
          "look for processes in state D: ps -eo pid,stat,cmd",
          e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("an end is never exceptional", e);
    }
  }

  /** Ends all containers; what a private node does at its end. */
  void killAll() {
    for (var record : store.all()) {
      pods.find(new TaskId(record.id()))
          .filter(NodeContainers::isAlive)
          .ifPresent(task -> killAndWait(record, task));
    }
  }

  void kill(String word, Optional<String> exec, String signalWord, boolean all) {
    var signal = Signal.parse(signalWord);
    var task = task(word, "signal");
    try {
      pods.kill(task.id(), exec.map(ExecId::new), signal, all);
    } catch (PodException e) {
      throw unlessEnded(task, e);
    }
  }

  void pause(String word) {
    var task = task(word, "pause");
    try {
      task.pause();
    } catch (PodException e) {
      throw unlessEnded(task, e);
    }
  }

  void unpause(String word) {
    var task = task(word, "unpause");
    try {
      task.resume();
    } catch (PodException e) {
      throw unlessEnded(task, e);
    }
  }

  /** What failed because the container ended at the same time is told as that. */
  private static RuntimeException unlessEnded(Task task, PodException failure) {
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
  private static boolean hasJustEnded(Task task, PodException failure) {
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

  List<String> update(String word, Limits limits) {
    var record = store.get(word);
    checkWhole(record, "update container '" + record.name() + "'");
    locked(
        record.id(),
        () -> {
          var now = store.get(record.id());
          var before = now.settings().limits();
          var after = LimitChange.apply(before, limits);
          // Old and new must go together, or the container could not be started again.
          var _ = ResourceSection.of(after);
          var change = ResourceSection.of(LimitChange.complete(before, limits));
          var tried = "update container '" + now.name() + "'";
          save(now.withSettings(now.settings().withLimits(after)), tried);
          try {
            pods.find(new TaskId(now.id()))
                .filter(NodeContainers::isAlive)
                .ifPresent(task -> task.update(change));
          } catch (PodException e) {
            saveAgain(now, tried, e);
            throw e;
          }
          freshlyPrepared.remove(now.id());
        });
    return List.of();
  }

  private void save(ContainerRecord record, String tried) {
    try {
      store.save(record, true);
    } catch (IOException e) {
      throw internal(tried, e);
    }
  }

  private void saveAgain(ContainerRecord before, String tried, RuntimeException failure) {
    try {
      save(before, tried);
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  // ---- streams ----

  Attached attach(String word) {
    var record = store.get(word);
    var task = pods.find(new TaskId(record.id())).filter(NodeContainers::isAlive);
    if (task.isEmpty() && record.exit().isPresent() && record.started().isPresent()) {
      // It may be started again: then the client is there.
      return attached(record);
    }
    if (task.isPresent() && task.get().isPaused()) {
      throw new CaissonException(
          Reason.WRONG_STATE,
          "attach to container '" + record.name() + "'",
          "it is paused",
          "unpause it first");
    }
    return attached(record);
  }

  private Attached attached(ContainerRecord record) {
    var token = attachments.register(new Attachments.Attachment(record.id(), Optional.empty()));
    return new Attached(record.id(), token, record.settings().process().terminal());
  }

  /**
   * Connects a client to the streams its token stands for. The answer is sent here, under the
   * container's lock: a client that has it may start the container at once, and the start must find
   * the connection in its place.
   */
  void openStream(Request.OpenStream wanted, Conversation client) {
    var attachment = attachments.find(wanted.token());
    var id = attachment.container();
    locked(
        id,
        () -> {
          try {
            var task = pods.find(new TaskId(id));
            if (task.isEmpty() && store.find(id).isEmpty()) {
              throw new CaissonException(
                  Reason.NOT_FOUND, "open a stream", "the container is gone", "");
            }
            var direct =
                wanted.direct().isPresent()
                    ? client.pipeOfPeer(wanted.direct().get())
                    : Optional.<Fd>empty();
            boolean first =
                task.isPresent()
                    ? task.get().state(attachment.exec()) instanceof ExecState.Created
                    : attachments.isFirst(id, wanted.stream());
            client.send(Wire.result(new StreamOpened(first || wanted.stream().equals("stdin"))));
            var stream = attachment.stream(wanted.stream(), client.handOver(), direct);
            if (task.isEmpty()) {
              attachments.await(id, stream);
            } else {
              Attachments.connect(task.get().streams(attachment.exec()), stream, first);
            }
          } catch (IOException e) {
            throw internal("attach to container " + id.substring(0, SHORT_ID), e);
          }
        });
  }

  /** How a stream that has ended did. */
  StreamEnd endOfStream(String token, String stream) {
    var parting = Optional.ofNullable(attachments.find(token).parted().get(stream));
    return new StreamEnd(
        switch (parting.orElse(Parting.DONE)) {
          case DONE -> StreamEnd.How.WHOLE;
          case READER_GONE -> StreamEnd.How.READER_GONE;
          case TOO_SLOW -> StreamEnd.How.TOO_SLOW;
        });
  }

  Attached exec(String word, ExecSettings settings, boolean detached) {
    var record = store.get(word);
    var task = task(word, "exec in");
    checkWhole(record, "exec in container '" + record.name() + "'");
    var exec = new ExecId(Names.newId().substring(0, SHORT_ID));
    try (var handle = DirectoryHandle.open(rootfs(record.id()))) {
      var view = new RootView(handle);
      var process =
          ContainerSpec.exec(record.spec(), record.settings().process(), settings, view, rights);
      Interpreters.check(
          "exec in container '" + record.name() + "'", process, view, record.spec().mounts());
      forgetOldExecs(task);
      task.createExec(
          new ExecPlan(
              exec,
              process,
              new StreamPlan(
                  settings.terminal(),
                  settings.stdin() && !detached,
                  settings.terminalSize().map(NodeContainers::size),
                  Optional.empty())));
    } catch (IOException e) {
      throw internal("exec in container '" + record.name() + "'", e);
    }
    if (detached) {
      startExec(word, exec.value());
      return new Attached(exec.value(), "", settings.terminal());
    }
    var token = attachments.register(new Attachments.Attachment(record.id(), Optional.of(exec)));
    return new Attached(exec.value(), token, settings.terminal());
  }

  private static void forgetExec(Task task, ExecId exec, PodException failure) {
    try {
      task.deleteExec(exec);
    } catch (PodException e) {
      // Gone with its container.
      failure.addSuppressed(e);
    }
  }

  /** Ends of execs are kept so that they can still be asked for, but not for ever. */
  private static void forgetOldExecs(Task task) {
    var ended =
        task.execs().entrySet().stream()
            .filter(entry -> entry.getValue() instanceof ExecState.Exited)
            .toList();
    for (int i = 0; i < ended.size() - 64; i++) {
      try {
        task.deleteExec(ended.get(i).getKey());
      } catch (PodException e) {
        log("forget exec " + ended.get(i).getKey(), e);
      }
    }
  }

  void startExec(String word, String exec) {
    var task = task(word, "exec in");
    var id = new ExecId(exec);
    try {
      var end = execEnd(task, id);
      task.startExec(id);
      execEnds.add(exec, end);
    } catch (PodException e) {
      forgetExec(task, id, e);
      throw unlessEnded(task, e);
    }
  }

  void resize(String word, Optional<String> exec, TerminalSize size) {
    var record = store.get(word);
    var task = pods.find(new TaskId(record.id()));
    if (task.isEmpty()) {
      return;
    }
    if (!task.get().streams(exec.map(ExecId::new)).resize(size(size))) {
      throw new CaissonException(
          Reason.WRONG_STATE,
          "resize the terminal of container '" + record.name() + "'",
          "it has no terminal",
          "");
    }
  }

  private static Terminal.Size size(TerminalSize size) {
    return new Terminal.Size(size.columns(), size.rows());
  }

  LogReader logs(String word, boolean follow) {
    var record = store.get(word);
    var id = record.id();
    if (!record.settings().log().kept()) {
      throw new CaissonException(
          Reason.WRONG_STATE,
          "read the log of container '" + record.name() + "'",
          "none is kept",
          "run it without --log-driver none");
    }
    return LogReader.open(
        logFile(id),
        () -> follow && pods.find(new TaskId(id)).filter(NodeContainers::isAlive).isPresent());
  }

  // ---- looking ----

  List<ContainerSummary> list() {
    return store.all().stream().map(this::summary).toList();
  }

  private ContainerSummary summary(ContainerRecord record) {
    var task = pods.find(new TaskId(record.id()));
    return new ContainerSummary(
        record.id(),
        record.name(),
        record.settings().image(),
        record.command(),
        record.created(),
        state(record, task),
        record.started(),
        record.exit(),
        record.settings().labels());
  }

  private static ContainerState state(ContainerRecord record, Optional<Task> task) {
    if (task.isPresent() && task.get().state() instanceof ExecState.Running) {
      return task.get().isPaused() ? ContainerState.PAUSED : ContainerState.RUNNING;
    }
    return record.exit().isPresent() || record.started().isPresent()
        ? ContainerState.EXITED
        : ContainerState.CREATED;
  }

  ContainerInfo inspect(String word) {
    var record = store.get(word);
    var task = pods.find(new TaskId(record.id())).filter(NodeContainers::isAlive);
    return new ContainerInfo(
        summary(record),
        record.imageId(),
        record.settings(),
        task.map(t -> t.pid(Optional.empty())).orElse(0),
        record.warnings(),
        record.runtime(),
        cgroup(record.id()),
        bundle(record.id()).toString(),
        rootfs(record.id()).toString(),
        record.settings().log().kept()
            ? Optional.of(logFile(record.id()).toString())
            : Optional.empty(),
        task.map(NodeContainers::runningExecs).orElse(List.of()),
        Json.tree(record.spec()));
  }

  private static List<String> runningExecs(Task task) {
    return task.execs().entrySet().stream()
        .filter(entry -> entry.getValue() instanceof ExecState.Running)
        .map(entry -> entry.getKey().value())
        .toList();
  }

  Stats stats(String word) {
    var usage = task(word, "read statistics of").usage();
    return new Stats(
        usage.at(),
        usage.cpuNanos(),
        usage.cpuUserNanos(),
        usage.cpuSystemNanos(),
        usage.throttledPeriods(),
        usage.memoryBytes(),
        usage.memoryPeakBytes(),
        usage.memoryLimitBytes(),
        usage.swapBytes(),
        usage.outOfMemoryKills(),
        usage.pids(),
        usage.pidsLimit(),
        usage.readBytes(),
        usage.writtenBytes());
  }

  List<ProcessEntry> top(String word) {
    var task = task(word, "list processes of");
    var entries = new ArrayList<ProcessEntry>();
    for (int pid : task.processes()) {
      ProcessTable.entry(pid, task.execOf(pid).map(ExecId::value)).ifPresent(entries::add);
    }
    return entries;
  }

  Set<String> imagesInUse() {
    var ids = new HashSet<String>();
    store.all().forEach(record -> ids.add(record.imageId()));
    return ids;
  }

  /**
   * Chain ids of the layers that containers are mounted from.
   *
   * @throws CaissonException while a damaged container may need any of them
   */
  Set<String> layersInUse() {
    var ids = new HashSet<String>();
    for (var record : store.all()) {
      checkWhole(record, "find the layers of container '" + record.name() + "'");
      ids.addAll(record.layers());
    }
    return ids;
  }

  long running() {
    return list().stream().filter(c -> c.state() == ContainerState.RUNNING).count();
  }

  /** The name of a container, or the beginning of the id of one that is gone. */
  String nameOf(String id) {
    return store.find(id).map(ContainerRecord::name).orElse(id.substring(0, SHORT_ID));
  }

  // ---- places and rules ----

  private Task task(String word, String verb) {
    var record = store.get(word);
    return pods.find(new TaskId(record.id()))
        .filter(NodeContainers::isAlive)
        .orElseThrow(() ->
            new CaissonException(
                Reason.WRONG_STATE,
                verb + " container '" + record.name() + "'",
                "it is not running",
                "start it first"));
  }

  private static boolean isAlive(Task task) {
    return task.state() instanceof ExecState.Running;
  }

  private Path rootfs(String id) {
    return root.run().resolve("rootfs").resolve(id);
  }

  private Path bundle(String id) {
    return root.run().resolve("bundles").resolve(id);
  }

  private Path logFile(String id) {
    return store.directoryOf(id).resolve("log");
  }

  private static String cgroup(String id) {
    return "/caisson/" + id;
  }

  private void locked(String id, Runnable work) {
    var lock = locks.computeIfAbsent(id, _ -> new ReentrantLock());
    lock.lock();
    try {
      work.run();
    } finally {
      lock.unlock();
    }
  }

  private static void log(String what, Exception e) {
    System.getLogger(NodeContainers.class.getName())
        .log(System.Logger.Level.WARNING, what + ": " + e.getMessage());
  }

  private static CaissonException internal(String tried, Exception e) {
    return new CaissonException(Reason.INTERNAL, tried, String.valueOf(e.getMessage()), "", e);
  }
}
