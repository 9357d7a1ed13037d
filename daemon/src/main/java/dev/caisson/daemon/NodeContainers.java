package dev.caisson.daemon;

import dev.caisson.daemon.container.ContainerSpec;
import dev.caisson.daemon.container.Interpreters;
import dev.caisson.daemon.container.ResourceSection;
import dev.caisson.daemon.container.Rights;
import dev.caisson.daemon.container.RootView;
import dev.caisson.engine.ExecId;
import dev.caisson.engine.ExecState;
import dev.caisson.engine.HeldDescriptors;
import dev.caisson.engine.PodException;
import dev.caisson.engine.PodId;
import dev.caisson.engine.Pods;
import dev.caisson.engine.Task;
import dev.caisson.engine.TaskId;
import dev.caisson.engine.TaskPlan;
import dev.caisson.engine.process.LowLevelRuntimes;
import dev.caisson.engine.spec.Spec;
import dev.caisson.engine.streams.StreamPlan;
import dev.caisson.json.Json;
import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.Containers;
import dev.caisson.library.ExitStatus;
import dev.caisson.library.Limits;
import dev.caisson.library.Reason;
import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Signal;
import dev.caisson.oci.Image;
import dev.caisson.oci.LayerStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The library's calls that make and change containers. A container is a record on disk; while it
 * runs it is also a task of the engine, the only one of its pod. All calls may be made from any
 * thread; those that change one container follow one another.
 */
final class NodeContainers {
  private static final Duration USUAL_GRACE = Duration.ofSeconds(10);
  private static final Duration KILL_LIMIT = Duration.ofSeconds(30);

  private final KnownContainers known;
  private final ContainerStore store;
  private final ContainerPlaces places;
  private final ContainerStreams streams;
  private final ContainerEnds ends;
  private final NodeImages images;
  private final LayerStore layers;
  private final Pods pods;
  private final LowLevelRuntimes runtimes;
  private final Rights rights;
  private final Set<String> freshlyPrepared = ConcurrentHashMap.newKeySet();

  NodeContainers(
      KnownContainers known,
      ContainerPlaces places,
      ContainerStreams streams,
      NodeImages images,
      LayerStore layers,
      Pods pods,
      LowLevelRuntimes runtimes,
      Rights rights,
      Departed departed) {
    this.known = known;
    this.store = known.store();
    this.places = places;
    this.streams = streams;
    this.images = images;
    this.layers = layers;
    this.pods = pods;
    this.runtimes = runtimes;
    this.rights = rights;
    this.ends = new ContainerEnds(known, departed, new Clearing());
    pods.events().subscribe(ends::hear);
  }

  /** How these containers end. */
  ContainerEnds ends() {
    return ends;
  }

  private final class Clearing implements ContainerEnds.Clearing {
    @Override
    public void deleteTask(String id) {
      NodeContainers.this.deleteTask(id);
    }

    @Override
    public void unmount(String id) throws IOException {
      layers.unmount(places.rootfs(id));
    }

    @Override
    public void remove(String id) {
      removeStopped(id);
    }
  }

  /**
   * Brings records and the engine's tasks together after a start of the daemon.
   *
   * @param unfinished ids of containers that a crash left without a record
   * @param held what the engine was given
   */
  void takeOver(List<String> unfinished, HeldDescriptors held) {
    for (var record : store.all()) {
      var task = known.find(record.id());
      if (task.isPresent() && task.get().state() instanceof ExecState.Created) {
        undoStart(record, task.get());
      } else if (task.isPresent()) {
        ends.begin(record.id());
        if (task.get().state() instanceof ExecState.Exited exited) {
          ends.finishLater(record.id(), exited);
        }
      } else if (record.started().isPresent() && record.exit().isEmpty()) {
        discardLost(record, held);
        ends.finish(record.id(), new ExitStatus(ContainerEnds.UNKNOWN_EXIT, Instant.now(), false));
      }
    }
    for (var task : pods.all()) {
      if (store.find(task.id().value()).isEmpty()) {
        abandon(task);
      }
    }
    for (var id : unfinished) {
      try {
        layers.unmount(places.rootfs(id));
        places.remove(id);
      } catch (IOException e) {
        KnownContainers.log("remove what is left of container " + id, e);
      }
    }
  }

  /** A daemon died before the program ran: whoever called was told, and may start it again. */
  private void undoStart(ContainerRecord record, Task task) {
    try {
      store.save(record.exit().isPresent() ? record : record.notStarted(), false);
    } catch (IOException e) {
      KnownContainers.log("write down that container '" + record.name() + "' did not start", e);
    }
    abandon(task);
  }

  /** A task that the engine knows nothing of any more may still run. */
  private void discardLost(ContainerRecord record, HeldDescriptors held) {
    try {
      pods.discard(plan(record, places.bundle(record.id())), held);
    } catch (IOException | PodException e) {
      KnownContainers.log(
          "remove what is left of the task of container '" + record.name() + "'", e);
    }
  }

  /** A task whose container's record did not reach the disk. */
  private void abandon(Task task) {
    try {
      task.killAll(Signal.KILL);
      task.ended(Optional.empty()).get(KILL_LIMIT.toSeconds(), TimeUnit.SECONDS);
      pods.delete(task.id());
      layers.unmount(places.rootfs(task.id().value()));
    } catch (IOException | PodException | ExecutionException | TimeoutException e) {
      KnownContainers.log("remove the leftover task " + task.id(), e);
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
          : KnownContainers.internal("create container '" + name + "'", e);
    }
  }

  /** Mounts the root and makes the specification. */
  private ContainerSpec prepare(String id, Image image, ContainerSettings settings)
      throws IOException {
    layers.mount(image.layers(), store.directoryOf(id).resolve("changes"), places.rootfs(id));
    try (var handle = DirectoryHandle.open(places.rootfs(id))) {
      return ContainerSpec.of(
          image.config(),
          settings,
          new ContainerSpec.Place(
              id,
              places.rootfs(id),
              store.directoryOf(id).resolve("files"),
              ContainerPlaces.cgroup(id)),
          new RootView(handle),
          rights);
    }
  }

  private void undoCreate(String id, String name, Exception failure) {
    try {
      layers.unmount(places.rootfs(id));
      places.remove(id);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
    store.release(id, name);
  }

  void start(String word) {
    var id = store.get(word).id();
    known.locked(id, () -> start(store.get(id)));
  }

  private void start(ContainerRecord record) {
    var id = record.id();
    var tried = "start container '" + record.name() + "'";
    KnownContainers.checkWhole(record, tried);
    if (known.find(id).isPresent()) {
      throw new CaissonException(Reason.WRONG_STATE, tried, "it is running already", "");
    }
    try {
      var prepared = freshlyPrepared.remove(id) ? record : prepareAgain(record);
      var bundle = Files.createDirectories(places.bundle(id));
      Files.write(bundle.resolve("config.json"), Json.write(prepared.spec()));
      var task = pods.create(plan(prepared, bundle));
      try {
        checkInterpreters(tried, task, prepared.spec());
        streams.connectWaiting(id, task);
        ends.begin(id);
        // On disk before the program runs: a daemon that comes after knows that it did.
        store.save(prepared.started(Instant.now()), false);
        task.start();
      } catch (RuntimeException e) {
        store.save(prepared, false);
        pods.delete(task.id());
        throw e;
      }
    } catch (IOException e) {
      throw KnownContainers.internal(tried, e);
    } catch (RuntimeException e) {
      if (record.settings().removeAtEnd()) {
        removeStopped(id);
      }
      throw e instanceof PodException failure ? Failures.translate(failure, tried) : e;
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
        ContainerPlaces.cgroup(record.id()),
        new StreamPlan(
            settings.process().terminal(),
            settings.process().stdin(),
            settings.process().terminalSize().map(ContainerStreams::size),
            settings.log().kept()
                ? Optional.of(
                    new StreamPlan.LogPlan(
                        places.logFile(record.id()),
                        settings.log().maxBytes(),
                        settings.log().maxFiles()))
                : Optional.empty()),
        !settings.namespaces().contains("pid"));
  }

  void remove(String word, boolean force) {
    var record = store.get(word);
    do {
      var running = known.alive(record.id());
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

  private boolean removeUnlessAlive(String id, boolean force) {
    var removed = new AtomicBoolean();
    known.locked(
        id,
        () -> {
          if (!force || known.alive(id).isEmpty()) {
            removeStopped(id);
            removed.set(true);
          }
        });
    return removed.get();
  }

  private void deleteTask(String id) {
    if (known.find(id).isPresent()) {
      pods.delete(new TaskId(id));
    }
  }

  private void removeStopped(String id) {
    var record = store.find(id);
    if (record.isEmpty()) {
      return;
    }
    try {
      deleteTask(id);
      streams.drop(id);
      layers.unmount(places.rootfs(id));
      places.remove(id);
      var exit = ends.exitOf(id);
      store.forget(record.get());
      freshlyPrepared.remove(id);
      ends.endWaits(id, exit);
      known.forgetLock(id);
    } catch (IOException e) {
      throw KnownContainers.internal("remove container '" + record.get().name() + "'", e);
    }
  }

  void stop(String word, Optional<Duration> grace) {
    var record = store.get(word);
    var task = known.alive(record.id());
    if (task.isEmpty()) {
      return;
    }
    var end = ends.ended(record.id());
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
      if (e.reason() != dev.caisson.engine.Reason.NOT_FOUND
          && !KnownContainers.hasJustEnded(task.get(), e)) {
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
    var end = ends.ended(record.id());
    try {
      task.killAll(Signal.KILL);
    } catch (PodException e) {
      if (e.reason() != dev.caisson.engine.Reason.NOT_FOUND
          && !KnownContainers.hasJustEnded(task, e)) {
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
      known.alive(record.id()).ifPresent(task -> killAndWait(record, task));
    }
  }

  void kill(String word, Optional<String> exec, String signalWord, boolean all) {
    var signal = Signal.parse(signalWord);
    var task = known.task(word, "signal");
    try {
      pods.kill(task.id(), exec.map(ExecId::new), signal, all);
    } catch (PodException e) {
      throw KnownContainers.unlessEnded(task, e);
    }
  }

  void pause(String word) {
    var task = known.task(word, "pause");
    try {
      task.pause();
    } catch (PodException e) {
      throw KnownContainers.unlessEnded(task, e);
    }
  }

  void unpause(String word) {
    var task = known.task(word, "unpause");
    try {
      task.resume();
    } catch (PodException e) {
      throw KnownContainers.unlessEnded(task, e);
    }
  }

  List<String> update(String word, Limits limits) {
    var record = store.get(word);
    KnownContainers.checkWhole(record, "update container '" + record.name() + "'");
    known.locked(
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
            known.alive(now.id()).ifPresent(task -> task.update(change));
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
      throw KnownContainers.internal(tried, e);
    }
  }

  private void saveAgain(ContainerRecord before, String tried, RuntimeException failure) {
    try {
      save(before, tried);
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }
}
