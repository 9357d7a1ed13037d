package dev.caisson.engine.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.caisson.engine.EventHub;
import dev.caisson.engine.ExitStatus;
import dev.caisson.engine.Exits;
import dev.caisson.engine.PodId;
import dev.caisson.engine.Pods;
import dev.caisson.engine.Task;
import dev.caisson.engine.TaskId;
import dev.caisson.engine.TaskPlan;
import dev.caisson.engine.spec.Linux;
import dev.caisson.engine.spec.Mount;
import dev.caisson.engine.spec.Namespace;
import dev.caisson.engine.spec.Process;
import dev.caisson.engine.spec.Root;
import dev.caisson.engine.spec.Spec;
import dev.caisson.engine.streams.DescriptorStore;
import dev.caisson.engine.streams.Pump;
import dev.caisson.engine.streams.StreamPlan;
import dev.caisson.json.Json;
import dev.caisson.linux.Cgroup;
import dev.caisson.linux.CgroupMounts;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Pidfd;
import dev.caisson.linux.ProcessIdentity;
import dev.caisson.linux.Signal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * An engine of processes made by the low-level runtime of this machine, in a run folder of its own.
 */
final class RealEngine implements AutoCloseable {
  private static final Path BUSYBOX = Path.of("/bin/busybox");

  final Pods pods;
  private final Path directory;
  private final String parent;
  private final Pump pump;
  private final Path runtime;

  /**
   * Opens it.
   *
   * @param parent cgroup in which its tasks are, {@code /name}
   */
  RealEngine(Path directory, String parent) throws IOException {
    this(directory, parent, Optional.empty());
  }

  /** With a program that stands before the runtime: it is run with the runtime's arguments. */
  RealEngine(Path directory, String parent, Optional<Path> instead) throws IOException {
    var runtimes = LowLevelRuntimes.detect();
    assumeTrue(
        !runtimes.installed().isEmpty() && Files.isExecutable(BUSYBOX),
        "runtime: no low-level runtime or no static busybox; apt install runc busybox-static");
    this.directory = directory;
    this.parent = parent;
    this.runtime = instead.orElseGet(() -> runtimes.choose("auto"));
    this.pump = Pump.start();
    var tasks = Files.createDirectories(directory.resolve("tasks"));
    this.pods =
        new Pods(
            tasks,
            ProcessSandbox.open(tasks, directory.resolve("runtime"), Clock.systemUTC()),
            new PidfdExits(),
            DescriptorStore.none(),
            pump,
            new EventHub(),
            Clock.systemUTC());
  }

  /** A task that sleeps. */
  Task sleeper(String id) throws IOException {
    return create(id, "/bin/busybox", "sleep", "1000");
  }

  /** A task that runs a program; there is only busybox. */
  Task create(String id, String... args) throws IOException {
    return create(id, UnaryOperator.identity(), args);
  }

  /** The same, with something changed in its specification. */
  Task create(String id, UnaryOperator<Spec> change, String... args) throws IOException {
    return pods.create(plan(id, change, args));
  }

  /** A bundle of that id, and the plan to run it. */
  TaskPlan plan(String id, UnaryOperator<Spec> change, String... args) throws IOException {
    var bundle = Files.createDirectories(directory.resolve("bundles").resolve(id));
    var bin = Files.createDirectories(bundle.resolve("rootfs/bin"));
    if (!Files.exists(bin.resolve("busybox"))) {
      Files.copy(BUSYBOX, bin.resolve("busybox"));
    }
    var spec =
        Spec.of(Root.of("rootfs", false))
            .withProcess(Process.of("/", List.of(args)))
            .withMounts(
                List.of(
                    Mount.of("/proc", "proc", "proc", List.of()),
                    Mount.of("/dev", "tmpfs", "dev", List.of())))
            .withLinux(
                Linux.NONE
                    .withCgroupsPath(parent + "/" + id)
                    .withNamespaces(List.of(Namespace.of("mount"), Namespace.of("pid"))));
    Files.write(bundle.resolve("config.json"), Json.write(change.apply(spec)));
    return new TaskPlan(
        new PodId(id),
        new TaskId(id),
        bundle,
        runtime,
        parent + "/" + id,
        StreamPlan.discard(),
        true);
  }

  Cgroup cgroup(Task task) throws IOException {
    return CgroupMounts.detect().group(task.plan().cgroup());
  }

  /** Ends a task and removes it. */
  void remove(Task task) {
    task.killAll(Signal.KILL);
    task.ended(Optional.empty()).orTimeout(60, TimeUnit.SECONDS).join();
    pods.delete(task.id());
  }

  @Override
  public void close() {
    for (var task : pods.all()) {
      remove(task);
    }
    pods.close();
    pump.close();
    assertThat(directory.resolve("tasks")).isEmptyDirectory();
  }

  /** Watches processes by themselves; their status is known where the kernel keeps it. */
  private static final class PidfdExits implements Exits {
    @Override
    public void watch(ProcessIdentity process, Consumer<Exit> listener) {
      Thread.ofPlatform().daemon().start(() -> listener.accept(await(process)));
    }

    private static Exit await(ProcessIdentity process) {
      var status = ExitStatus.UNKNOWN;
      try (var pidfd = Pidfd.open(process).orElse(null)) {
        if (pidfd != null) {
          pidfd.awaitEnd(-1);
          var told = pidfd.waitStatus();
          status = told.isPresent() ? ExitStatus.ofWaitStatus(told.getAsInt()) : status;
        }
      } catch (KernelException e) {
        throw new IllegalStateException(e);
      }
      return new Exit(process, status, Instant.now());
    }

    @Override
    public void acknowledge(ProcessIdentity process) {}
  }
}
