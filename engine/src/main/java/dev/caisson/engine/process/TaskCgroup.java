package dev.caisson.engine.process;

import dev.caisson.engine.Usage;
import dev.caisson.linux.Kill;
import dev.caisson.linux.Signal;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The cgroup of one task in every hierarchy it is in, v1 or v2. Reads the kernel each time; keeps
 * nothing.
 */
final class TaskCgroup {
  private static final long UNLIMITED = Long.MAX_VALUE / 4096 * 4096;
  private static final int ROUNDS = 200;
  private static final long ROUND_MILLIS = 5;
  private static final long NANOS_PER_MICRO = 1_000;
  private static final long NANOS_PER_TICK = 10_000_000;

  private final CgroupLayout layout;
  private final String path;

  TaskCgroup(CgroupLayout layout, String path) {
    this.layout = layout;
    this.path = path.startsWith("/") ? path.substring(1) : path;
  }

  private Path in(String controller) {
    var mount =
        layout.isV2()
            ? layout.unified().orElseThrow()
            : layout.controllers().getOrDefault(controller, Path.of("/nonexistent"));
    return mount.resolve(path);
  }

  private Set<Path> all() {
    var all = new LinkedHashSet<Path>();
    layout.controllers().values().forEach(mount -> all.add(mount.resolve(path)));
    layout.unified().ifPresent(mount -> all.add(mount.resolve(path)));
    return all;
  }

  /** All processes below it. */
  List<Integer> processes() throws IOException {
    var pids = new ArrayList<Integer>();
    for (var directory : tree(in("pids"))) {
      for (var line : text(directory.resolve("cgroup.procs")).lines().toList()) {
        pids.add(Integer.parseInt(line));
      }
    }
    return pids;
  }

  /**
   * Sends a signal to all; SIGKILL is repeated until nothing is left, since processes can fork
   * meanwhile.
   */
  void signalAll(Signal signal) throws IOException {
    if (!signal.equals(Signal.KILL)) {
      for (int pid : processes()) {
        Kill.process(pid, signal);
      }
      return;
    }
    var kill = in("pids").resolve("cgroup.kill");
    if (layout.isV2() && Files.exists(kill)) {
      Files.writeString(kill, "1");
    }
    for (int round = 0; round < ROUNDS; round++) {
      var left = processes();
      if (left.isEmpty()) {
        return;
      }
      for (int pid : left) {
        Kill.process(pid, signal);
      }
      thaw();
      try {
        Thread.sleep(ROUND_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** A frozen process dies only when it is let go. */
  private void thaw() throws IOException {
    var file =
        layout.isV2()
            ? in("freezer").resolve("cgroup.freeze")
            : in("freezer").resolve("freezer.state");
    if (Files.exists(file)) {
      Files.writeString(file, layout.isV2() ? "0" : "THAWED");
    }
  }

  long outOfMemoryKills() {
    return layout.isV2()
        ? table(in("memory").resolve("memory.events")).getOrDefault("oom_kill", 0L)
        : table(in("memory").resolve("memory.oom_control")).getOrDefault("oom_kill", 0L);
  }

  Usage usage(Instant at) {
    return layout.isV2() ? usageV2(at) : usageV1(at);
  }

  private Usage usageV2(Instant at) {
    var dir = in("memory");
    var cpu = table(dir.resolve("cpu.stat"));
    var memory = table(dir.resolve("memory.stat"));
    var io = io(text(dir.resolve("io.stat")));
    return new Usage(
        at,
        cpu.getOrDefault("usage_usec", 0L) * NANOS_PER_MICRO,
        cpu.getOrDefault("user_usec", 0L) * NANOS_PER_MICRO,
        cpu.getOrDefault("system_usec", 0L) * NANOS_PER_MICRO,
        cpu.getOrDefault("nr_throttled", 0L),
        Math.max(
            0, number(dir.resolve("memory.current")) - memory.getOrDefault("inactive_file", 0L)),
        number(dir.resolve("memory.peak")),
        limit(dir.resolve("memory.max")),
        number(dir.resolve("memory.swap.current")),
        outOfMemoryKills(),
        number(dir.resolve("pids.current")),
        limit(dir.resolve("pids.max")),
        io[0],
        io[1]);
  }

  private Usage usageV1(Instant at) {
    var cpu = table(in("cpuacct").resolve("cpuacct.stat"));
    var memory = table(in("memory").resolve("memory.stat"));
    var memoryDir = in("memory");
    var io = ioV1(text(in("blkio").resolve("blkio.throttle.io_service_bytes_recursive")));
    return new Usage(
        at,
        number(in("cpuacct").resolve("cpuacct.usage")),
        cpu.getOrDefault("user", 0L) * NANOS_PER_TICK,
        cpu.getOrDefault("system", 0L) * NANOS_PER_TICK,
        table(in("cpu").resolve("cpu.stat")).getOrDefault("nr_throttled", 0L),
        Math.max(
            0,
            number(memoryDir.resolve("memory.usage_in_bytes"))
                - memory.getOrDefault("total_inactive_file", 0L)),
        number(memoryDir.resolve("memory.max_usage_in_bytes")),
        limit(memoryDir.resolve("memory.limit_in_bytes")),
        memory.getOrDefault("total_swap", 0L),
        outOfMemoryKills(),
        number(in("pids").resolve("pids.current")),
        limit(in("pids").resolve("pids.max")),
        io[0],
        io[1]);
  }

  /** Removes it everywhere, deepest first; what is gone already is fine. */
  void remove() throws IOException {
    for (var directory : all()) {
      for (var below : tree(directory).reversed()) {
        Files.deleteIfExists(below);
      }
    }
  }

  /**
   * Removes its parent everywhere where that is empty. Not while a task is created: the runtime
   * makes the parent, then the task's own, and would not find the parent any more.
   */
  void removeEmptyParents() {
    for (var directory : all()) {
      try {
        Files.deleteIfExists(directory.getParent());
      } catch (IOException e) {
        // Other tasks are in it, or it is a mount point.
        continue;
      }
    }
  }

  private static List<Path> tree(Path top) throws IOException {
    var directories = new ArrayList<Path>();
    if (!Files.isDirectory(top)) {
      return directories;
    }
    Files.walkFileTree(
        top,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
            directories.add(dir);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure) {
            return FileVisitResult.CONTINUE;
          }
        });
    return directories;
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      // A controller that is switched off, or a cgroup that goes away under us.
      return "";
    }
  }

  private static long number(Path file) {
    var text = text(file).strip();
    try {
      return text.isEmpty() || text.equals("max") ? 0 : Long.parseLong(text);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private static long limit(Path file) {
    long limit = number(file);
    return limit >= UNLIMITED ? 0 : limit;
  }

  private static Map<String, Long> table(Path file) {
    var table = new HashMap<String, Long>();
    for (var line : text(file).lines().toList()) {
      int blank = line.indexOf(' ');
      if (blank > 0) {
        try {
          table.put(line.substring(0, blank), Long.parseLong(line.substring(blank + 1).strip()));
        } catch (NumberFormatException e) {
          continue;
        }
      }
    }
    return table;
  }

  private static long[] io(String stat) {
    var sums = new long[2];
    for (var word : stat.split("\\s+")) {
      if (word.startsWith("rbytes=")) {
        sums[0] += Long.parseLong(word.substring(7));
      } else if (word.startsWith("wbytes=")) {
        sums[1] += Long.parseLong(word.substring(7));
      }
    }
    return sums;
  }

  private static long[] ioV1(String stat) {
    var sums = new long[2];
    for (var line : stat.lines().toList()) {
      var words = line.split(" ");
      if (words.length == 3 && words[1].equals("Read")) {
        sums[0] += Long.parseLong(words[2]);
      } else if (words.length == 3 && words[1].equals("Write")) {
        sums[1] += Long.parseLong(words[2]);
      }
    }
    return sums;
  }
}
