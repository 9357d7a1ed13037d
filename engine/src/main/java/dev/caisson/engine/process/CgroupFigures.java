package dev.caisson.engine.process;

import dev.caisson.engine.Usage;
import dev.caisson.linux.Cgroup;
import dev.caisson.linux.KernelException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * What is used in a cgroup. Each figure comes from the tree that has its controller, so that a
 * machine may have some in the first version and others in the second. What the kernel does not
 * tell, since a controller is switched off or the group goes away, is 0. Source: the kernel's
 * cgroup-v1 and cgroup-v2 documents.
 */
final class CgroupFigures {
  private static final long UNLIMITED = Long.MAX_VALUE / 4096 * 4096;
  private static final long NANOS_PER_MICRO = 1_000;
  private static final long NANOS_PER_TICK = 10_000_000;

  private final Cgroup group;

  CgroupFigures(Cgroup group) {
    this.group = group;
  }

  private record Cpu(long nanos, long userNanos, long systemNanos, long throttledPeriods) {}

  private record Memory(long bytes, long peak, long limit, long swap) {}

  private record Io(long read, long written) {}

  Usage usage(Instant at) {
    var cpu = cpu();
    var memory = memory();
    var io = io();
    return new Usage(
        at,
        cpu.nanos(),
        cpu.userNanos(),
        cpu.systemNanos(),
        cpu.throttledPeriods(),
        memory.bytes(),
        memory.peak(),
        memory.limit(),
        memory.swap(),
        outOfMemoryKills(),
        number("pids", "pids.current"),
        limit("pids", "pids.max"),
        io.read(),
        io.written());
  }

  long outOfMemoryKills() {
    var file = group.isLegacy("memory") ? "memory.oom_control" : "memory.events";
    return table("memory", file).getOrDefault("oom_kill", 0L);
  }

  private Cpu cpu() {
    if (group.isLegacy("cpuacct")) {
      var ticks = table("cpuacct", "cpuacct.stat");
      return new Cpu(
          number("cpuacct", "cpuacct.usage"),
          ticks.getOrDefault("user", 0L) * NANOS_PER_TICK,
          ticks.getOrDefault("system", 0L) * NANOS_PER_TICK,
          table("cpu", "cpu.stat").getOrDefault("nr_throttled", 0L));
    }
    // The unified tree tells times also where nothing controls them.
    var stat = table("", "cpu.stat");
    return new Cpu(
        stat.getOrDefault("usage_usec", 0L) * NANOS_PER_MICRO,
        stat.getOrDefault("user_usec", 0L) * NANOS_PER_MICRO,
        stat.getOrDefault("system_usec", 0L) * NANOS_PER_MICRO,
        stat.getOrDefault("nr_throttled", 0L));
  }

  /** Cache that can be dropped at once is not counted as used. */
  private Memory memory() {
    var stat = table("memory", "memory.stat");
    if (group.isLegacy("memory")) {
      return new Memory(
          Math.max(
              0,
              number("memory", "memory.usage_in_bytes")
                  - stat.getOrDefault("total_inactive_file", 0L)),
          number("memory", "memory.max_usage_in_bytes"),
          limit("memory", "memory.limit_in_bytes"),
          stat.getOrDefault("total_swap", 0L));
    }
    return new Memory(
        Math.max(0, number("memory", "memory.current") - stat.getOrDefault("inactive_file", 0L)),
        number("memory", "memory.peak"),
        limit("memory", "memory.max"),
        number("memory", "memory.swap.current"));
  }

  private Io io() {
    return group.isLegacy("blkio")
        ? legacyIo(text("blkio", "blkio.throttle.io_service_bytes_recursive"))
        : unifiedIo(text("io", "io.stat"));
  }

  /** Lines such as {@code 8:0 Read 4096}. */
  private static Io legacyIo(String stat) {
    long read = 0;
    long written = 0;
    for (var line : stat.lines().toList()) {
      var words = line.split(" ");
      if (words.length == 3 && words[1].equals("Read")) {
        read += Long.parseLong(words[2]);
      } else if (words.length == 3 && words[1].equals("Write")) {
        written += Long.parseLong(words[2]);
      }
    }
    return new Io(read, written);
  }

  /** Lines such as {@code 8:0 rbytes=4096 wbytes=0 rios=1}. */
  private static Io unifiedIo(String stat) {
    long read = 0;
    long written = 0;
    for (var word : stat.split("\\s+")) {
      if (word.startsWith("rbytes=")) {
        read += Long.parseLong(word.substring(7));
      } else if (word.startsWith("wbytes=")) {
        written += Long.parseLong(word.substring(7));
      }
    }
    return new Io(read, written);
  }

  private String text(String controller, String name) {
    var file = group.file(controller, name);
    try {
      return file.isPresent() ? file.get().find().orElse("") : "";
    } catch (KernelException e) {
      return "";
    }
  }

  private long number(String controller, String name) {
    return asNumber(text(controller, name));
  }

  private static long asNumber(String text) {
    try {
      return text.isEmpty() || text.equals("max") ? 0 : Long.parseLong(text);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private long limit(String controller, String name) {
    long limit = number(controller, name);
    return limit >= UNLIMITED ? 0 : limit;
  }

  private Map<String, Long> table(String controller, String name) {
    var table = new HashMap<String, Long>();
    for (var line : text(controller, name).lines().toList()) {
      int blank = line.indexOf(' ');
      if (blank > 0) {
        table.put(line.substring(0, blank), asNumber(line.substring(blank + 1).strip()));
      }
    }
    return table;
  }
}
