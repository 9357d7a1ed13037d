package dev.caisson.system;

import dev.caisson.library.AttachSettings;
import dev.caisson.library.Caisson;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.Containers;
import dev.caisson.library.ExecSettings;
import dev.caisson.library.ExitStatus;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A private node in a directory of its own, and what tests do with it. Closing it leaves nothing.
 */
public final class TestNode implements AutoCloseable {
  /** The image all tests use; it needs no network. */
  public static final String BUSYBOX = "builtin/busybox";

  private final Path directory;
  private final Caisson caisson;

  private TestNode(Path directory) {
    this.directory = directory;
    this.caisson = Caisson.openPrivate(directory);
  }

  /** What a program printed and how it ended. */
  public record Outcome(ExitStatus exit, String stdout, String stderr) {
    /** Exit code. */
    public int code() {
      return exit.code();
    }
  }

  /** Opens a node in a directory, which it removes at its end. */
  public static TestNode openIn(Path directory) {
    return new TestNode(directory);
  }

  /** Opens a node below /var/tmp, where overlays can be mounted. */
  public static TestNode open() {
    try {
      return new TestNode(Files.createTempDirectory(Path.of("/var/tmp"), "caisson-test"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The node. */
  public Caisson caisson() {
    return caisson;
  }

  /** Its containers. */
  public Containers containers() {
    return caisson.containers();
  }

  /** Its state root. */
  public Path directory() {
    return directory;
  }

  /** Runs a shell script in a container of its own, which is removed at its end. */
  public Outcome run(String script) {
    return run(ContainerSettings.of(BUSYBOX, "sh", "-c", script));
  }

  /** Runs a container to its end and removes it. */
  public Outcome run(ContainerSettings settings) {
    return run(settings, new byte[0]);
  }

  /** Runs a container to its end with bytes for its standard input. */
  public Outcome run(ContainerSettings settings, byte[] input) {
    var stdin = settings.process().stdin();
    var id = containers().create(settings.withRemoveAtEnd(true)).id();
    try (var attachment =
        containers().attach(id, stdin ? AttachSettings.ALL : AttachSettings.OUTPUT)) {
      containers().start(id);
      var stderr = text(attachment.stderr());
      var stdout = text(attachment.stdout());
      if (stdin) {
        try (var in = attachment.stdin()) {
          in.write(input);
        }
      }
      return new Outcome(attachment.await(), stdout.join(), stderr.join());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a shell script in the background. Returns the container's id. */
  public String start(String script) {
    return start(ContainerSettings.of(BUSYBOX, "sh", "-c", script));
  }

  /** Starts a container in the background. */
  public String start(ContainerSettings settings) {
    var id = containers().create(settings).id();
    containers().start(id);
    return id;
  }

  /** Runs a program in a running container to its end. */
  public Outcome exec(String container, String... command) {
    return exec(container, ExecSettings.of(command));
  }

  /** Runs a program in a running container to its end. */
  public Outcome exec(String container, ExecSettings settings) {
    try (var attachment = containers().exec(container, settings)) {
      var stderr = text(attachment.stderr());
      var stdout = text(attachment.stdout());
      return new Outcome(attachment.await(), stdout.join(), stderr.join());
    }
  }

  /** All that a stream gives, read in the background. */
  public static CompletableFuture<String> text(InputStream in) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        task -> Thread.ofVirtual().start(task));
  }

  /** Runs the command line on this node to its end, with nothing on its stdin. */
  public Ran cli(String... arguments) throws IOException, InterruptedException {
    var command = new ArrayList<String>();
    command.add(Installed.program("caisson").toString());
    command.addAll(List.of(arguments));
    return Ran.of(
        Map.of("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", "CAISSON_ROOT", directory.toString()),
        command);
  }

  /** Pid of the daemon. */
  public int daemonPid() {
    return caisson.info().daemonPid();
  }

  /** Mounts below the state root, as the kernel has them. */
  public List<String> mounts() {
    try {
      return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
          .filter(line -> line.contains(directory.toString()))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The cgroup of a container in the hierarchy that knows pids. */
  public static Path cgroup(String container) {
    var v1 = Path.of("/sys/fs/cgroup/pids");
    return (Files.isDirectory(v1) ? v1 : Path.of("/sys/fs/cgroup")).resolve("caisson/" + container);
  }

  @Override
  public void close() {
    var keeper = ProcessHandle.of(caisson.info().keeperPid());
    try {
      for (var container : containers().list()) {
        containers().remove(container.id(), true);
      }
    } finally {
      caisson.close();
      keeper.ifPresent(process -> process.onExit().orTimeout(30, TimeUnit.SECONDS).join());
      deleteTree();
    }
  }

  private void deleteTree() {
    try {
      new ProcessBuilder("rm", "-rf", "--one-file-system", directory.toString())
          .inheritIO()
          .start()
          .waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
