package dev.caisson.engine.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where this machine has its cgroup hierarchies. Source: cgroups(7), proc_pid_mountinfo(5).
 *
 * @param unified mount point of cgroup v2, if mounted
 * @param controllers mount points of v1 by controller; empty on a machine that has only v2
 */
record CgroupLayout(Optional<Path> unified, Map<String, Path> controllers) {
  private static final List<String> KNOWN =
      List.of(
          "cpu",
          "cpuacct",
          "cpuset",
          "memory",
          "devices",
          "freezer",
          "blkio",
          "pids",
          "hugetlb",
          "net_cls",
          "net_prio",
          "perf_event",
          "rdma",
          "name=systemd");

  static CgroupLayout detect() throws IOException {
    return parse(Files.readString(Path.of("/proc/self/mountinfo")));
  }

  static CgroupLayout parse(String mountinfo) {
    var unified = Optional.<Path>empty();
    var controllers = new HashMap<String, Path>();
    for (var line : mountinfo.lines().toList()) {
      var halves = line.split(" - ", 2);
      var point = Path.of(halves[0].split(" ")[4]);
      var source = halves[1].split(" ");
      if (source[0].equals("cgroup2")) {
        unified = unified.or(() -> Optional.of(point));
      } else if (source[0].equals("cgroup")) {
        for (var option : source[2].split(",")) {
          if (KNOWN.contains(option)) {
            controllers.putIfAbsent(option, point);
          }
        }
      }
    }
    return new CgroupLayout(unified, controllers);
  }

  /** {@code v2}, {@code hybrid} or {@code v1}. */
  String kind() {
    if (controllers.isEmpty()) {
      return "v2";
    }
    return unified.isPresent() ? "hybrid" : "v1";
  }

  boolean isV2() {
    return controllers.isEmpty();
  }
}
