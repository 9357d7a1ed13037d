package dev.caisson.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.caisson.engine.spec.Process;
import dev.caisson.engine.streams.DescriptorStore;
import dev.caisson.engine.streams.Pump;
import dev.caisson.engine.streams.StreamPlan;
import dev.caisson.linux.ProcessIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** An engine between a {@link FakeSandbox} and a listener that writes down every event. */
final class TestEngine implements AutoCloseable {
  /** Init, where an exec could be named. */
  static final Optional<ExecId> INIT = Optional.empty();

  final FakeExits exits = new FakeExits();
  final FakeSandbox sandbox = new FakeSandbox(exits);
  final Path directory;
  private final List<PodEvent> events = new ArrayList<>(); // guarded by events
  private final ExecutorService others = Executors.newCachedThreadPool();
  private final Pump pump;
  Pods pods;

  TestEngine(Path directory) throws IOException {
    this.directory = directory;
    this.pump = Pump.start();
    this.pods = engine();
  }

  private Pods engine() throws IOException {
    Files.createDirectories(directory);
    var hub = new EventHub();
    hub.subscribe(event -> {
      synchronized (events) {
        events.add(event);
      }
    });
    return new Pods(
        directory, sandbox, exits, DescriptorStore.none(), pump, hub, Clock.systemUTC());
  }

  /** The daemon dies, and the next one takes over. */
  List<String> restart() throws IOException {
    die();
    return pods.takeOver(HeldDescriptors.none());
  }

  /** The daemon dies; the next one has not begun yet. */
  void die() throws IOException {
    pods.close();
    exits.loseListeners();
    pods = engine();
  }

  @Override
  public void close() {
    others.shutdownNow();
    pods.close();
    pump.close();
  }

  // ---- making ----

  static TaskPlan plan(String pod, String id) {
    return new TaskPlan(
        new PodId(pod),
        new TaskId(id),
        Path.of("/bundle"),
        Path.of("/runtime"),
        "/caisson/" + id,
        StreamPlan.discard(),
        false);
  }

  Task create(String pod, String id) {
    return pods.create(plan(pod, id));
  }

  Task running(String pod, String id) {
    var task = create(pod, id);
    task.start();
    return task;
  }

  static ExecId exec(String id) {
    return new ExecId(id);
  }

  static ExecPlan execPlan(String id) {
    return new ExecPlan(new ExecId(id), Process.of("/", List.of("true")), StreamPlan.discard());
  }

  static void createExec(Task task, String id) {
    task.createExec(execPlan(id));
  }

  static ProcessIdentity runExec(Task task, String id) {
    createExec(task, id);
    task.startExec(new ExecId(id));
    return process(task, Optional.of(new ExecId(id)));
  }

  static ProcessIdentity process(Task task, Optional<ExecId> exec) {
    return ((ExecState.Running) task.state(exec)).process();
  }

  /** Ends init and waits until that is told. */
  ExecState.Exited end(Task task, int status) throws Exception {
    sandbox.end(process(task, INIT), status);
    return exit(task, INIT);
  }

  static ExecState.Exited exit(Task task, Optional<ExecId> exec) throws Exception {
    return task.ended(exec).get(30, TimeUnit.SECONDS);
  }

  // ---- several threads ----

  <T> Future<T> other(Callable<T> work) {
    return others.submit(work);
  }

  Future<Boolean> other(Runnable work) {
    return others.submit(work, true);
  }

  /** Lets all work begin at the same moment; tells which of it succeeded. */
  List<Boolean> together(List<Runnable> work) throws Exception {
    var go = new CompletableFuture<Boolean>();
    var results = new ArrayList<Future<Boolean>>();
    for (var one : work) {
      results.add(
          others.submit(() -> {
            go.join();
            try {
              one.run();
              return true;
            } catch (PodException e) {
              return false;
            }
          }));
    }
    go.complete(true);
    var succeeded = new ArrayList<Boolean>();
    for (var result : results) {
      succeeded.add(result.get(30, TimeUnit.SECONDS));
    }
    return succeeded;
  }

  // ---- looking ----

  /** All events so far of a task, in order, as {@code started}, {@code exited 137 of sh}. */
  List<String> events(String task) {
    synchronized (events) {
      return events.stream()
          .filter(event -> event.task().value().equals(task))
          .map(TestEngine::text)
          .toList();
    }
  }

  private static String text(PodEvent event) {
    return switch (event) {
      case PodEvent.Created _ -> "created";
      case PodEvent.Started _ -> "started";
      case PodEvent.ExecAdded e -> "added " + e.exec();
      case PodEvent.ExecStarted e -> "started " + e.exec();
      case PodEvent.Exited e -> "exited " + e.status().code() + of(e.exec());
      case PodEvent.Deleted e -> "deleted " + e.status().code() + of(e.exec());
      case PodEvent.OutOfMemory _ -> "out of memory";
      case PodEvent.Paused _ -> "paused";
      case PodEvent.Resumed _ -> "resumed";
    };
  }

  private static String of(Optional<ExecId> exec) {
    return exec.map(id -> " of " + id).orElse("");
  }

  static AbstractThrowableAssert<?, ?> refused(Reason reason, ThrowingCallable call) {
    var failure = catchThrowableOfType(PodException.class, call);
    assertThat(failure).as("a refusal").isNotNull();
    assertThat(failure.reason()).as(failure.getMessage()).isEqualTo(reason);
    return Assertions.assertThat((Throwable) failure);
  }

  /** What the task keeps on disk; empty when it keeps nothing. */
  List<Path> files(String task) throws IOException {
    var folder = directory.resolve(task);
    if (!Files.exists(folder)) {
      return List.of();
    }
    try (var all = Files.walk(folder)) {
      return all.toList();
    }
  }
}
