package dev.caisson.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * What a node has of the machine: mounts, cgroups, processes, open descriptors, files, locks. Taken
 * before something is done to the node, it tells afterwards what that left over.
 *
 * <p>Other nodes may be at work on the same machine: what is theirs is not looked at.
 */
public final class Leftovers {
  private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
  private static final Pattern INODE = Pattern.compile("\\[\\d+]");
  private static final Pattern CONTAINER = Pattern.compile("[0-9a-f]{64}");
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(15);
  private static final long PAUSE_MILLIS = 50;
  private static final String DELETED = " (deleted)";

  /**
   * What is made once and stays, or grows by design: logs, the stores' own locks, and the memory of
   * how the last containers ended that were removed.
   */
  private static final Set<String> GROWING =
      Set.of(
          "daemon.log",
          "run/exits.log",
          "run/departed",
          "layers/locks/store",
          "content/locks/store");

  /** How the last execs of a running container ended can still be asked for. */
  private static final Pattern ENDED_EXEC = Pattern.compile("run/tasks/[^/]+/exec-[^/]+");

  /** The library keeps some open for later; a test that leaks one for each call leaks more. */
  private static final String CONNECTIONS = "daemon's descriptor of socket:";

  private static final int IDLE_CONNECTIONS = 4;

  private final Path root;
  private final long keeper;
  private final Map<String, Integer> before;

  private Leftovers(Path root, long keeper) {
    this.root = root;
    this.keeper = keeper;
    this.before = look();
  }

  /** Looks at a node that has done everything at least once that it does lazily. */
  public static Leftovers before(TestNode node) {
    return new Leftovers(node.directory(), node.caisson().info().keeperPid());
  }

  /** Fails, naming them, when there are things that were not there before and do not go away. */
  public void assertNone() throws InterruptedException {
    var deadline = System.nanoTime() + PATIENCE_NANOS;
    for (; ; ) {
      var difference = difference();
      if (difference.isEmpty()) {
        return;
      }
      if (System.nanoTime() > deadline) {
        throw new AssertionError(
            "left over in " + root + ":\n  " + String.join("\n  ", difference));
      }
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
  }

  private List<String> difference() {
    var difference = new ArrayList<String>();
    look()
        .forEach((thing, count) -> {
          int more = count - before.getOrDefault(thing, 0);
          more -= thing.equals(CONNECTIONS) ? IDLE_CONNECTIONS : 0;
          if (more > 0) {
            difference.add(more == 1 ? thing : thing + ", " + more + " times");
          }
        });
    return difference;
  }

  /** Everything, and how often it is there. */
  private Map<String, Integer> look() {
    var seen = new TreeMap<String, Integer>();
    try {
      mounts(seen);
      cgroups(seen);
      for (long pid : processes(seen)) {
        if (isOurs(pid)) {
          descriptors(pid, seen);
        }
      }
      locks(files(seen), seen);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return seen;
  }

  private static void note(String thing, Map<String, Integer> seen) {
    seen.merge(thing, 1, Integer::sum);
  }

  private void mounts(Map<String, Integer> seen) throws IOException {
    for (var line : Files.readAllLines(MOUNTS)) {
      var target = line.split(" ", 6)[4];
      if (target.startsWith(root + "/")) {
        note("mount " + target, seen);
      }
    }
  }

  private void cgroups(Map<String, Integer> seen) throws IOException {
    var foreign = new HashSet<String>();
    for (var line : Files.readAllLines(MOUNTS)) {
      var target = line.split(" ", 6)[4];
      if (target.contains("/rootfs/") && !target.startsWith(root + "/")) {
        foreign.add(Path.of(target).getFileName().toString());
      }
    }
    var hierarchies = new ArrayList<>(children(Path.of("/sys/fs/cgroup")));
    hierarchies.add(Path.of("/sys/fs/cgroup"));
    for (var hierarchy : hierarchies) {
      for (var group : children(hierarchy.resolve("caisson"))) {
        var id = group.getFileName().toString();
        if (CONTAINER.matcher(id).matches() && !foreign.contains(id)) {
          note("cgroup " + group, seen);
        }
      }
    }
  }

  private static List<Path> children(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (var entries = Files.newDirectoryStream(directory)) {
      var children = new ArrayList<Path>();
      entries.forEach(children::add);
      return children;
    } catch (DirectoryIteratorException e) {
      return List.of();
    }
  }

  /** The keeper and all below it. */
  private List<Long> processes(Map<String, Integer> seen) {
    var pids = new ArrayList<Long>();
    pids.add(keeper);
    ProcessHandle.of(keeper)
        .ifPresent(process ->
            process
                .descendants()
                .forEach(below -> {
                  pids.add(below.pid());
                  note("process " + name(below), seen);
                }));
    return pids;
  }

  private static String name(ProcessHandle process) {
    var line = process.info().commandLine().orElse("(ended)");
    return line.contains("dev.caisson.daemon.Main") ? "the daemon" : line;
  }

  /** Whether it is one of the node's two programs, not something it runs. */
  private boolean isOurs(long pid) {
    return pid == keeper
        || ProcessHandle.of(pid)
            .flatMap(process -> process.info().commandLine())
            .filter(line -> line.contains("dev.caisson.daemon.Main"))
            .isPresent();
  }

  private void descriptors(long pid, Map<String, Integer> seen) throws IOException {
    var owner = pid == keeper ? "keeper" : "daemon";
    for (var descriptor : children(Path.of("/proc/" + pid + "/fd"))) {
      String target;
      try {
        target = Files.readSymbolicLink(descriptor).toString();
      } catch (IOException e) {
        continue; // closed since it was listed
      }
      // What Java opens once and keeps is none of the node's doing.
      if (!target.startsWith("/usr/") && !target.startsWith("/dev/") && !target.endsWith(".jar")) {
        note(owner + "'s descriptor of " + INODE.matcher(target).replaceAll(""), seen);
      }
    }
  }

  /** Files below the state root by inode. */
  private Map<String, String> files(Map<String, Integer> seen) throws IOException {
    var byInode = new HashMap<String, String>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
              throws IOException {
            if (GROWING.contains(root.relativize(directory).toString())) {
              remember(directory);
              return FileVisitResult.SKIP_SUBTREE;
            }
            return visitFile(directory, attributes);
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            var path = root.relativize(file).toString();
            if (!GROWING.contains(path) && !ENDED_EXEC.matcher(path).matches()) {
              note("file " + path, seen);
            }
            byInode.put(inode(file), root.relativize(file).toString());
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE; // removed since it was listed
          }

          private void remember(Path directory) throws IOException {
            for (var file : children(directory)) {
              byInode.put(inode(file), root.relativize(file).toString());
            }
          }

          private String inode(Path file) {
            try {
              return String.valueOf(
                  Files.getAttribute(file, "unix:ino", LinkOption.NOFOLLOW_LINKS));
            } catch (IOException e) {
              return file + DELETED;
            }
          }
        });
    return byInode;
  }

  /** Source: proc_locks(5); the sixth field is {@code major:minor:inode}. */
  private void locks(Map<String, String> files, Map<String, Integer> seen) throws IOException {
    for (var line : Files.readAllLines(Path.of("/proc/locks"))) {
      var fields = line.strip().split("\\s+");
      var inode = fields.length > 5 ? fields[5].substring(fields[5].lastIndexOf(':') + 1) : "";
      var file = files.get(inode);
      if (file != null) {
        note("lock on " + file, seen);
      }
    }
  }
}
