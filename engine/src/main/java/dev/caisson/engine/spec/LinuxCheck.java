package dev.caisson.engine.spec;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Checks {@code linux}. Source: runtime specification, config-linux.md. */
final class LinuxCheck {
  private static final List<String> NAMESPACES =
      List.of("pid", "network", "mount", "ipc", "uts", "user", "cgroup", "time");
  private static final List<String> PROPAGATIONS =
      List.of(
          "shared",
          "slave",
          "private",
          "unbindable",
          "rshared",
          "rslave",
          "rprivate",
          "runbindable");
  private static final List<String> DEVICE_TYPES = List.of("c", "b", "u", "p");
  private static final List<String> CLOCKS = List.of("monotonic", "boottime");
  private static final Pattern SYSCTL = Pattern.compile("[A-Za-z0-9_-]+([./][A-Za-z0-9_:@/*-]+)+");

  /** Source: user_namespaces(7). */
  private static final int MOST_MAPPINGS = 340;

  private static final long IDS = 1L << 32;

  /** Rights and the bits of stat(2) that say what kind of file it is. */
  private static final long LARGEST_MODE = 0177777;

  private static final long LARGEST_MAJOR = (1L << 32) - 1;
  private static final long NANOS = 1_000_000_000;

  private LinuxCheck() {}

  static void check(Linux linux, Findings findings) {
    namespaces(linux.namespaces(), findings);
    userNamespace(linux, findings);
    linux.sysctl().keySet().forEach(name -> sysctl(name, linux, findings));
    linux.resources().ifPresent(resources -> ResourceCheck.check(resources, findings));
    linux.cgroupsPath().ifPresent(path -> cgroup(path, findings));
    devices(linux.devices(), findings);
    linux.seccomp().ifPresent(seccomp -> SeccompCheck.check(seccomp, "linux.seccomp", findings));
    linux
        .rootfsPropagation()
        .filter(word -> !word.isEmpty())
        .ifPresent(word -> findings.oneOf("linux.rootfsPropagation", word, PROPAGATIONS));
    hidden("linux.maskedPaths", linux.maskedPaths(), linux, findings);
    hidden("linux.readonlyPaths", linux.readonlyPaths(), linux, findings);
    linux.intelRdt().ifPresent(rdt -> intelRdt(rdt, findings));
    linux
        .personality()
        .ifPresent(personality -> {
          findings.oneOf(
              "linux.personality.domain", personality.domain(), List.of("LINUX", "LINUX32"));
          if (!personality.flags().isEmpty()) {
            findings.wrong("linux.personality.flags", personality.flags().getFirst(), "none");
          }
        });
    timeOffsets(linux, findings);
  }

  private static void namespaces(List<Namespace> namespaces, Findings findings) {
    var seen = new HashSet<String>();
    for (int i = 0; i < namespaces.size(); i++) {
      var namespace = namespaces.get(i);
      var path = "linux.namespaces[" + i + "]";
      if (findings.oneOf(path + ".type", namespace.type(), NAMESPACES)
          && !seen.add(namespace.type())) {
        findings.error(path + ".type", "found '" + namespace.type() + "' twice, wanted one entry");
      }
      namespace
          .path()
          .filter(given -> !given.isEmpty())
          .ifPresent(given -> findings.absolute(path + ".path", given));
    }
  }

  private static void userNamespace(Linux linux, Findings findings) {
    mappings(linux.uidMappings(), "linux.uidMappings", findings);
    mappings(linux.gidMappings(), "linux.gidMappings", findings);
    var mapped = !linux.uidMappings().isEmpty() || !linux.gidMappings().isEmpty();
    if (mapped && !linux.hasNamespace("user")) {
      findings.error(
          linux.uidMappings().isEmpty() ? "linux.gidMappings" : "linux.uidMappings",
          "found mappings, wanted none without a namespace of type user");
    }
    var own =
        linux.namespaces().stream()
            .anyMatch(n -> n.type().equals("user") && n.path().filter(p -> !p.isEmpty()).isEmpty());
    if (own && linux.uidMappings().isEmpty()) {
      findings.error("linux.uidMappings", "missing, wanted the users of the new user namespace");
    }
    if (own && linux.gidMappings().isEmpty()) {
      findings.error("linux.gidMappings", "missing, wanted the groups of the new user namespace");
    }
  }

  /** The kernel refuses empty ranges, ranges beyond 32 bits and ranges that meet. */
  static void mappings(List<IdMapping> mappings, String path, Findings findings) {
    if (mappings.size() > MOST_MAPPINGS) {
      findings.wrong(path, mappings.size(), "at most " + MOST_MAPPINGS + " entries");
    }
    for (int i = 0; i < mappings.size(); i++) {
      var mapping = mappings.get(i);
      var here = path + "[" + i + "]";
      findings.required(here + ".containerID", mapping.containerId(), 0, Findings.LARGEST_ID);
      findings.required(here + ".hostID", mapping.hostId(), 0, Findings.LARGEST_ID);
      long room = IDS - Math.max(mapping.containerId().orElse(0L), mapping.hostId().orElse(0L));
      findings.required(here + ".size", mapping.size(), 1, Math.max(1, Math.min(room, IDS - 1)));
      for (int j = 0; j < i; j++) {
        if (mapping.meets(mappings.get(j))) {
          findings.error(here, "has ids that " + path + "[" + j + "] has too, wanted them once");
        }
      }
    }
  }

  /** Only what belongs to a namespace of the container's own; the rest would change the host. */
  private static void sysctl(String name, Linux linux, Findings findings) {
    var path = "linux.sysctl." + name;
    if (!SYSCTL.matcher(name).matches()) {
      findings.error(
          "linux.sysctl", "found '" + name + "', wanted names such as net.core.somaxconn");
      return;
    }
    var dotted = dotted(name);
    var owner = owner(dotted);
    if (owner.isEmpty()) {
      findings.error(path, "belongs to no namespace, wanted one that does not change the host");
    } else if (!linux.hasNamespace(owner)) {
      findings.error(
          path, "wanted a namespace of type " + owner + " in linux.namespaces beside it");
    }
  }

  /** Names may have slashes, and dots inside their parts. Source: sysctl(8). */
  private static String dotted(String name) {
    int dot = name.indexOf('.');
    int slash = name.indexOf('/');
    return slash >= 0 && (dot < 0 || slash < dot)
        ? name.replace('.', '\0').replace('/', '.').replace('\0', '/')
        : name;
  }

  private static String owner(String name) {
    if (name.startsWith("net.")) {
      return "network";
    } else if (name.startsWith("fs.mqueue.")
        || name.startsWith("kernel.shm")
        || name.startsWith("kernel.msg")
        || name.equals("kernel.sem")) {
      return "ipc";
    } else if (name.equals("kernel.hostname") || name.equals("kernel.domainname")) {
      return "uts";
    }
    return name.startsWith("user.") ? "user" : "";
  }

  private static void cgroup(String path, Findings findings) {
    findings.plain("linux.cgroupsPath", path);
    if (List.of(path.split("/", -1)).contains("..")) {
      findings.wrong("linux.cgroupsPath", path, "a path without ..");
    }
  }

  private static void devices(List<Device> devices, Findings findings) {
    var seen = new HashMap<String, Integer>();
    for (int i = 0; i < devices.size(); i++) {
      var device = devices.get(i);
      var path = "linux.devices[" + i + "]";
      findings.absolute(path + ".path", device.path());
      var before = seen.put(device.path(), i);
      if (before != null && !device.isSame(devices.get(before))) {
        findings.wrong(
            path + ".path",
            device.path(),
            "a place that no other has: see devices[" + before + "]");
      }
      findings.oneOf(path + ".type", device.type(), DEVICE_TYPES);
      if (!device.type().equals("p")) {
        findings.required(path + ".major", device.major(), 0, LARGEST_MAJOR);
        findings.required(path + ".minor", device.minor(), 0, LARGEST_MAJOR);
      }
      findings.within(path + ".fileMode", device.fileMode(), 0, LARGEST_MODE);
      findings.within(path + ".uid", device.uid(), 0, Findings.LARGEST_ID);
      findings.within(path + ".gid", device.gid(), 0, Findings.LARGEST_ID);
    }
  }

  private static void hidden(String path, List<String> paths, Linux linux, Findings findings) {
    findings.absolute(path, paths);
    if (!paths.isEmpty() && !linux.hasNamespace("mount")) {
      findings.error(path, "found paths, wanted none without a namespace of type mount");
    }
  }

  private static void intelRdt(IntelRdt rdt, Findings findings) {
    rdt.closId()
        .filter(id -> id.equals(".") || id.equals("..") || id.contains("/") && !id.equals("/"))
        .ifPresent(id -> findings.wrong("linux.intelRdt.closID", id, "the name of a directory"));
    schema("linux.intelRdt.l3CacheSchema", rdt.l3CacheSchema().orElse("L3"), "L3", findings);
    schema("linux.intelRdt.memBwSchema", rdt.memBwSchema().orElse("MB:"), "MB:", findings);
  }

  private static void schema(String path, String line, String start, Findings findings) {
    if (!line.startsWith(start) || line.contains("\n") && path.endsWith("memBwSchema")) {
      findings.wrong(path, line, "a line that begins with " + start);
    }
  }

  private static void timeOffsets(Linux linux, Findings findings) {
    for (Map.Entry<String, TimeOffset> entry : linux.timeOffsets().entrySet()) {
      var path = "linux.timeOffsets." + entry.getKey();
      if (!CLOCKS.contains(entry.getKey())) {
        findings.error(path, "no such clock, wanted one of " + String.join(", ", CLOCKS));
      }
      findings.within(path + ".nanosecs", entry.getValue().nanosecs(), 0, NANOS - 1);
    }
    if (!linux.timeOffsets().isEmpty() && !linux.hasNamespace("time")) {
      findings.error(
          "linux.timeOffsets", "found clocks, wanted none without a namespace of type time");
    }
  }
}
