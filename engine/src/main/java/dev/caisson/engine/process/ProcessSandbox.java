package dev.caisson.engine.process;

import dev.caisson.engine.ExecId;
import dev.caisson.engine.ExecPlan;
import dev.caisson.engine.PodException;
import dev.caisson.engine.Reason;
import dev.caisson.engine.Sandbox;
import dev.caisson.engine.TaskPlan;
import dev.caisson.engine.Usage;
import dev.caisson.engine.spec.Resources;
import dev.caisson.engine.streams.ProcessStreams;
import dev.caisson.json.Json;
import dev.caisson.linux.CgroupMounts;
import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Pidfd;
import dev.caisson.linux.ProcessIdentity;
import dev.caisson.linux.Program;
import dev.caisson.linux.Signal;
import dev.caisson.linux.Spawn;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Process isolation: each task's processes are made by the low-level runtime its plan names, and
 * reached afterwards through pidfds and cgroups, without asking the runtime again.
 *
 * <p>Files of a task, in its directory below {@code <run>/tasks}: {@code runtime.log} (what the
 * runtime had to say), {@code pid}, and for an exec {@code exec-<id>.json} and {@code
 * exec-<id>.pid}.
 */
public final class ProcessSandbox implements Sandbox {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final Path tasks;
  private final Path runtimeRoot;
  private final CgroupMounts mounts;
  private final Clock clock;

  private ProcessSandbox(Path tasks, Path runtimeRoot, CgroupMounts mounts, Clock clock) {
    this.tasks = tasks;
    this.runtimeRoot = runtimeRoot;
    this.mounts = mounts;
    this.clock = clock;
  }

  /**
   * Makes the wall of a run directory.
   *
   * @param tasks where the engine keeps its tasks
   * @param runtimeRoot where low-level runtimes keep their state, each in a folder of its name
   */
  public static ProcessSandbox open(Path tasks, Path runtimeRoot, Clock clock) throws IOException {
    Files.createDirectories(runtimeRoot);
    return new ProcessSandbox(tasks, runtimeRoot, CgroupMounts.detect(), clock);
  }

  @Override
  public ProcessIdentity create(TaskPlan task, ProcessStreams streams) {
    var tried = "create task '" + task.id() + "'";
    var pidFile = file(task, "pid");
    var call = new ArrayList<String>();
    call.addAll(List.of("create", "--bundle", task.bundle().toString(), "--pid-file"));
    call.add(pidFile.toString());
    streams
        .consoleSocket()
        .ifPresent(socket -> call.addAll(List.of("--console-socket", socket.toString())));
    call.add(task.id().value());
    try {
      cgroup(task).create();
      run(tried, task, call, streams.childEnds());
      return identity(tried, pidFile);
    } catch (IOException e) {
      throw undone(task, internal(tried, e));
    } catch (PodException e) {
      throw undone(task, e);
    }
  }

  private PodException undone(TaskPlan task, PodException failure) {
    try {
      delete(task);
    } catch (PodException second) {
      failure.addSuppressed(second);
    }
    return failure;
  }

  @Override
  public void start(TaskPlan task) {
    run("start task '" + task.id() + "'", task, List.of("start", task.id().value()), List.of());
  }

  @Override
  public boolean isStarted(TaskPlan task) {
    var state = query(task, List.of("state", task.id().value()));
    return Json.readTree(new String(state, StandardCharsets.UTF_8)) instanceof Map<?, ?> fields
        && !"created".equals(fields.get("status"));
  }

  @Override
  public ProcessIdentity exec(TaskPlan task, ExecPlan exec, ProcessStreams streams) {
    var tried = "start exec '" + exec.id() + "' in task '" + task.id() + "'";
    var process = file(task, "exec-" + exec.id() + ".json");
    var pidFile = execPid(task, exec.id());
    var call = new ArrayList<String>();
    call.addAll(List.of("exec", "--detach", "--process", process.toString(), "--pid-file"));
    call.add(pidFile.toString());
    streams
        .consoleSocket()
        .ifPresent(socket -> call.addAll(List.of("--console-socket", socket.toString())));
    call.add(task.id().value());
    try {
      Files.write(process, Json.write(exec.process()));
      run(tried, task, call, streams.childEnds());
      return identity(tried, pidFile);
    } catch (IOException e) {
      throw internal(tried, e);
    }
  }

  @Override
  public Optional<ProcessIdentity> findExec(TaskPlan task, ExecId exec) {
    try {
      return readPid(execPid(task, exec)).flatMap(ProcessIdentity::of);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  @Override
  public boolean signal(TaskPlan task, ProcessIdentity process, Signal signal) {
    try (var pidfd = Pidfd.open(process).orElse(null)) {
      return pidfd != null && pidfd.send(signal);
    } catch (KernelException e) {
      throw internal("signal task '" + task.id() + "'", e);
    }
  }

  @Override
  public void signalAll(TaskPlan task, Signal signal) {
    try {
      cgroup(task).signalAll(signal);
    } catch (IOException e) {
      throw internal("signal all of task '" + task.id() + "'", e);
    }
  }

  @Override
  public void pause(TaskPlan task) {
    run("pause task '" + task.id() + "'", task, List.of("pause", task.id().value()), List.of());
  }

  @Override
  public void resume(TaskPlan task) {
    run("resume task '" + task.id() + "'", task, List.of("resume", task.id().value()), List.of());
  }

  @Override
  public void update(TaskPlan task, Resources resources) {
    cgroup(task).limits("update task '" + task.id() + "'").change(resources);
  }

  @Override
  public Usage usage(TaskPlan task) {
    return cgroup(task).figures().usage(clock.instant());
  }

  @Override
  public long outOfMemoryKills(TaskPlan task) {
    return cgroup(task).figures().outOfMemoryKills();
  }

  @Override
  public List<Integer> processes(TaskPlan task) {
    try {
      return cgroup(task).processes();
    } catch (IOException e) {
      throw internal("list processes of task '" + task.id() + "'", e);
    }
  }

  @Override
  public void delete(TaskPlan task) {
    var tried = "delete task '" + task.id() + "'";
    try {
      // By the cgroup first: the runtime itself would only end what init started.
      cgroup(task).signalAll(Signal.KILL);
      if (Files.exists(stateOf(task).resolve(task.id().value()))) {
        run(tried, task, List.of("delete", "--force", task.id().value()), List.of());
      }
      cgroup(task).remove();
    } catch (IOException e) {
      throw internal(tried, e);
    }
  }

  // ---- the runtime ----

  private void run(String tried, TaskPlan task, List<String> call, List<Fd> fds) {
    var log = file(task, "runtime.log");
    try {
      Files.deleteIfExists(log);
      var child = command(task, log, call).withFds(fds).start();
      var status = child.await(LIMIT);
      if (status.isEmpty()) {
        child.kill(Signal.KILL);
        child.await();
        throw failure(tried, task, "did not end within " + LIMIT.toMinutes() + " minutes", log);
      }
      if (status.getAsInt() != 0) {
        throw failure(tried, task, outcome(status.getAsInt()), log);
      }
    } catch (IOException e) {
      throw internal(tried, e);
    }
  }

  private byte[] query(TaskPlan task, List<String> call) {
    try {
      var result = Program.run(command(task, file(task, "runtime.log"), call), LIMIT);
      if (!result.succeeded()) {
        throw RuntimeFailure.of(
            "ask about task '" + task.id() + "'", name(task), result.outcome(), result.errors());
      }
      return result.output();
    } catch (KernelException e) {
      throw internal("ask about task '" + task.id() + "'", e);
    }
  }

  private Spawn command(TaskPlan task, Path log, List<String> call) {
    var whole = new ArrayList<String>();
    whole.add(task.runtime().toString());
    whole.addAll(List.of("--root", stateOf(task).toString(), "--log", log.toString()));
    whole.addAll(List.of("--log-format", "json"));
    whole.addAll(call);
    return Spawn.of(whole).in(task.bundle());
  }

  private Path stateOf(TaskPlan task) {
    return runtimeRoot.resolve(name(task));
  }

  private static String name(TaskPlan task) {
    return task.runtime().getFileName().toString();
  }

  private static PodException failure(String tried, TaskPlan task, String outcome, Path log)
      throws IOException {
    return RuntimeFailure.of(
        tried, name(task), outcome, Files.exists(log) ? Files.readAllBytes(log) : new byte[0]);
  }

  private static String outcome(int waitStatus) {
    return new Program.Result(waitStatus, false, new byte[0], new byte[0]).outcome();
  }

  // ---- files ----

  private Path file(TaskPlan task, String name) {
    return tasks.resolve(task.id().value()).resolve(name);
  }

  private Path execPid(TaskPlan task, ExecId exec) {
    return file(task, "exec-" + exec + ".pid");
  }

  private static ProcessIdentity identity(String tried, Path pidFile) {
    try {
      var pid = readPid(pidFile);
      // A process that ended already is a zombie until the keeper has reaped it, or gone: then its
      // start time is lost,
      // and 0 stands for it.
      return pid.map(p -> ProcessIdentity.of(p).orElse(new ProcessIdentity(p, 0)))
          .orElseThrow(() ->
              new PodException(
                  Reason.INTERNAL, tried, "the runtime wrote no pid to " + pidFile, ""));
    } catch (IOException e) {
      throw internal(tried, e);
    }
  }

  private static Optional<Integer> readPid(Path file) throws IOException {
    try {
      return Optional.of(Integer.parseInt(Files.readString(file).strip()));
    } catch (NoSuchFileException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  private TaskCgroup cgroup(TaskPlan task) {
    return new TaskCgroup(mounts, task.cgroup());
  }

  private static PodException internal(String tried, IOException e) {
    return new PodException(Reason.INTERNAL, tried, String.valueOf(e.getMessage()), "", e);
  }
}
