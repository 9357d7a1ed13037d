package dev.caisson.cli;

import dev.caisson.library.AttachSettings;
import dev.caisson.library.Attachment;
import dev.caisson.library.Caisson;
import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerInfo;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.ContainerState;
import dev.caisson.library.ContainerSummary;
import dev.caisson.library.Containers;
import dev.caisson.library.EventFilter;
import dev.caisson.library.ExecSettings;
import dev.caisson.library.ExitStatus;
import dev.caisson.library.ImageSummary;
import dev.caisson.library.Images;
import dev.caisson.library.Limits;
import dev.caisson.library.LogReader;
import dev.caisson.library.LogSettings;
import dev.caisson.library.NodeCheck;
import dev.caisson.library.NodeEvent;
import dev.caisson.library.NodeInfo;
import dev.caisson.library.ProcessEntry;
import dev.caisson.library.PullPolicy;
import dev.caisson.library.Reason;
import dev.caisson.library.Stats;
import dev.caisson.library.TerminalSize;
import dev.caisson.library.TransferProgress;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/** A node that does nothing but remember what it was asked for. */
final class FakeNode implements Caisson {
  static final String ID = "0123456789ab".repeat(5) + "cdef";
  static final Instant LONG_AGO = Instant.parse("2020-01-01T00:00:00Z");

  final List<String> calls = new CopyOnWriteArrayList<>();
  final List<ContainerSettings> created = new ArrayList<>();
  final List<ContainerSummary> containers = new ArrayList<>();
  final List<ImageSummary> images = new ArrayList<>();
  final List<LogReader.Entry> log = new ArrayList<>();
  final List<NodeEvent> events = new ArrayList<>();
  final List<ProcessEntry> processes = new ArrayList<>();
  final Map<String, CaissonException> failures = new HashMap<>();
  final Set<String> known = new HashSet<>(Set.of("busybox"));
  String notice = "";
  final ByteArrayOutputStream stdin = new ByteArrayOutputStream();
  Optional<ExecSettings> exec = Optional.empty();
  Optional<AttachSettings> attached = Optional.empty();
  Optional<Limits> updated = Optional.empty();
  Optional<LogSettings> logSettings = Optional.empty();
  Optional<Map<String, Object>> image = Optional.empty();
  InputStream stdout = new ByteArrayInputStream(new byte[0]);
  InputStream stderr = new ByteArrayInputStream(new byte[0]);
  CountDownLatch inputEnded = new CountDownLatch(1);
  int code;
  List<String> warnings = List.of();

  static ContainerSummary container(String name, ContainerState state, String... command) {
    return new ContainerSummary(
        ID,
        name,
        "busybox",
        List.of(command),
        LONG_AGO,
        state,
        Optional.of(LONG_AGO),
        state == ContainerState.EXITED
            ? Optional.of(new ExitStatus(3, LONG_AGO, false))
            : Optional.empty(),
        Map.of("tier", "web"));
  }

  void fail(String call, Reason reason) {
    failures.put(call, new CaissonException(reason, call, "it is broken", "mend it"));
  }

  private void call(String name, String rest) {
    calls.add(rest.isEmpty() ? name : name + " " + rest);
    if (failures.containsKey(name)) {
      throw failures.get(name);
    }
  }

  @Override
  public Containers containers() {
    return new FakeContainers();
  }

  @Override
  public Images images() {
    return new FakeImages();
  }

  @Override
  public NodeInfo info() {
    return new NodeInfo(
        "1",
        "/s",
        "/r",
        "6.1",
        "amd64",
        2,
        1 << 30,
        "v2",
        "/crun",
        List.of(),
        3,
        1,
        2,
        7,
        0,
        List.of("odd\u001b[1m"));
  }

  @Override
  public NodeCheck check() {
    return new NodeCheck(
        List.of(
            new NodeCheck.Item("runtime", NodeCheck.Outcome.OK, "crun 1.8", ""),
            new NodeCheck.Item(
                "swap", NodeCheck.Outcome.MISSING, "not accounted", "boot with it")));
  }

  @Override
  public String daemonVersion() {
    return "7.7";
  }

  @Override
  public void events(EventFilter filter, Consumer<NodeEvent> listener) {
    call("events", filter.container().orElse(""));
    events.forEach(listener);
  }

  @Override
  public void shutdownDaemon() {
    call("shutdown", "");
  }

  @Override
  public void close() {}

  private final class FakeContainers implements Containers {
    @Override
    public Created create(ContainerSettings settings, Consumer<TransferProgress> progress) {
      call("create", settings.image());
      if (settings.pull() == PullPolicy.MISSING && !known.contains(settings.image())) {
        images()
            .pull(new Images.PullSettings(settings.image(), settings.platform(), false), progress);
      }
      if (!known.contains(settings.image())) {
        throw new CaissonException(Reason.NOT_FOUND, "create", "no such image", "");
      }
      created.add(settings);
      return new Created(ID, warnings);
    }

    @Override
    public void start(String container) {
      call("start", container);
    }

    @Override
    public Attachment attach(String container, AttachSettings settings) {
      attached = Optional.of(settings);
      call("attach", container);
      return new FakeAttachment(container);
    }

    @Override
    public ExitStatus await(String container) {
      call("await", container);
      return new ExitStatus(code, LONG_AGO, false);
    }

    @Override
    public void stop(String container, Optional<Duration> grace) {
      call("stop", container + " " + grace.map(Duration::toSeconds).orElse(-1L));
    }

    @Override
    public void kill(String container, String signal, boolean all) {
      call("kill", container + " " + signal + " " + all);
    }

    @Override
    public void pause(String container) {
      call("pause", container);
    }

    @Override
    public void unpause(String container) {
      call("unpause", container);
    }

    @Override
    public void remove(String container, boolean force) {
      call("remove", container + " " + force);
    }

    @Override
    public List<String> update(String container, Limits limits) {
      call("update", container);
      updated = Optional.of(limits);
      return List.of("swap stays");
    }

    @Override
    public Stats stats(String container) {
      call("stats", container);
      long reads = calls.stream().filter(c -> c.startsWith("stats")).count();
      return new Stats(
          LONG_AGO.plusSeconds(reads),
          reads * 500_000_000,
          0,
          0,
          0,
          32 << 20,
          0,
          64 << 20,
          0,
          0,
          3,
          0,
          1_500_000,
          0);
    }

    @Override
    public List<ProcessEntry> top(String container) {
      call("top", container);
      return processes;
    }

    @Override
    public ContainerInfo inspect(String name) {
      call("inspect", name);
      for (var container : containers) {
        if (container.name().equals(name) || container.id().equals(name)) {
          return new ContainerInfo(
              container,
              "sha256:1",
              ContainerSettings.of("busybox"),
              4711,
              List.of(),
              "/crun",
              "/c",
              "/b",
              "/root",
              Optional.empty(),
              List.of(),
              Map.of());
        }
      }
      if (image.isPresent() && name.equals("image")) {
        throw new CaissonException(Reason.NOT_FOUND, "inspect", "no such container", "");
      }
      throw new CaissonException(Reason.NOT_FOUND, "inspect '" + name + "'", "not there", "");
    }

    @Override
    public LogReader logs(String container, LogSettings settings) {
      call("logs", container);
      logSettings = Optional.of(settings);
      var rest = new ArrayList<>(log);
      return new LogReader() {
        @Override
        public Optional<Entry> next() {
          return rest.isEmpty() ? Optional.empty() : Optional.of(rest.removeFirst());
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public Attachment exec(String container, ExecSettings settings) {
      exec = Optional.of(settings);
      call("exec", container);
      return new FakeAttachment("exec");
    }

    @Override
    public String execDetached(String container, ExecSettings settings) {
      exec = Optional.of(settings);
      call("exec-detached", container);
      return "exec-1";
    }

    @Override
    public void resize(String container, Optional<String> exec, TerminalSize size) {
      call("resize", container);
    }

    @Override
    public List<ContainerSummary> list() {
      call("list", "");
      return containers;
    }
  }

  private final class FakeImages implements Images {
    @Override
    public Pulled pull(PullSettings settings, Consumer<TransferProgress> progress) {
      call("pull", settings.reference() + " " + settings.platform().orElse(""));
      var blob = "sha256:" + "ab".repeat(32);
      progress.accept(new TransferProgress(blob, TransferProgress.Phase.DOWNLOADING, 50, 100));
      if (!notice.isEmpty()) {
        progress.accept(new TransferProgress(notice, TransferProgress.Phase.NOTICE, 0, 0));
      }
      progress.accept(new TransferProgress(blob, TransferProgress.Phase.DONE, 100, 100));
      known.add(settings.reference());
      return new Pulled(settings.reference(), "sha256:pulled", "sha256:resolved", true, List.of());
    }

    @Override
    public String push(PushSettings settings, Consumer<TransferProgress> progress) {
      call("push", settings.reference() + " " + settings.insecure());
      return "sha256:pushed";
    }

    @Override
    public void tag(String image, String name) {
      call("tag", image + " " + name);
    }

    @Override
    public Pruned prune(boolean all) {
      call("prune", Boolean.toString(all));
      return new Pruned(List.of("sha256:old"), 4_260_000);
    }

    @Override
    public Loaded load(InputStream archive) {
      call("load", "");
      return new Loaded(List.of("busybox:latest"), List.of());
    }

    @Override
    public Loaded loadLayout(Path directory) {
      call("loadLayout", directory.toString());
      return new Loaded(List.of("busybox:latest"), List.of("layers are copied"));
    }

    @Override
    public void saveLayout(List<String> images, Path directory) {
      call("saveLayout", images + " " + directory);
    }

    @Override
    public void save(List<String> images, ArchiveFormat format, OutputStream archive) {
      call("save", String.join(",", images) + " " + format);
      try {
        archive.write("archive".getBytes(StandardCharsets.UTF_8));
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public List<ImageSummary> list() {
      call("images", "");
      return images;
    }

    @Override
    public Map<String, Object> inspect(String name) {
      call("inspect-image", name);
      if (image.isPresent()) {
        return image.get();
      }
      throw new CaissonException(Reason.NOT_FOUND, "inspect image", "no such image", "");
    }

    @Override
    public List<String> remove(String name, boolean force) {
      call("remove-image", name + " " + force);
      return List.of(name, "sha256:gone");
    }
  }

  private final class FakeAttachment implements Attachment {
    private final String id;

    FakeAttachment(String id) {
      this.id = id;
    }

    @Override
    public String id() {
      return id;
    }

    @Override
    public OutputStream stdin() {
      return new OutputStream() {
        @Override
        public void write(int b) {
          stdin.write(b);
        }

        @Override
        public void close() {
          inputEnded.countDown();
        }
      };
    }

    @Override
    public InputStream stdout() {
      return stdout;
    }

    @Override
    public InputStream stderr() {
      return stderr;
    }

    @Override
    public ExitStatus await() {
      call("await", id);
      return new ExitStatus(code, LONG_AGO, false);
    }

    @Override
    public void kill(String signal) {
      call("signal", signal);
    }

    @Override
    public void resize(TerminalSize size) {
      call("size", size.columns() + "x" + size.rows());
    }

    @Override
    public void close() {
      call("close", id);
    }
  }
}
