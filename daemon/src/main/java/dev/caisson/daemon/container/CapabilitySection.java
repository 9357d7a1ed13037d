package dev.caisson.daemon.container;

import dev.caisson.engine.spec.Capabilities;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The capabilities of a process. Source: capabilities(7); the usual set is Docker's. */
final class CapabilitySection {
  private static final List<String> ALL =
      List.of(
          "CAP_CHOWN",
          "CAP_DAC_OVERRIDE",
          "CAP_DAC_READ_SEARCH",
          "CAP_FOWNER",
          "CAP_FSETID",
          "CAP_KILL",
          "CAP_SETGID",
          "CAP_SETUID",
          "CAP_SETPCAP",
          "CAP_LINUX_IMMUTABLE",
          "CAP_NET_BIND_SERVICE",
          "CAP_NET_BROADCAST",
          "CAP_NET_ADMIN",
          "CAP_NET_RAW",
          "CAP_IPC_LOCK",
          "CAP_IPC_OWNER",
          "CAP_SYS_MODULE",
          "CAP_SYS_RAWIO",
          "CAP_SYS_CHROOT",
          "CAP_SYS_PTRACE",
          "CAP_SYS_PACCT",
          "CAP_SYS_ADMIN",
          "CAP_SYS_BOOT",
          "CAP_SYS_NICE",
          "CAP_SYS_RESOURCE",
          "CAP_SYS_TIME",
          "CAP_SYS_TTY_CONFIG",
          "CAP_MKNOD",
          "CAP_LEASE",
          "CAP_AUDIT_WRITE",
          "CAP_AUDIT_CONTROL",
          "CAP_SETFCAP",
          "CAP_MAC_OVERRIDE",
          "CAP_MAC_ADMIN",
          "CAP_SYSLOG",
          "CAP_WAKE_ALARM",
          "CAP_BLOCK_SUSPEND",
          "CAP_AUDIT_READ",
          "CAP_PERFMON",
          "CAP_BPF",
          "CAP_CHECKPOINT_RESTORE");

  private static final List<String> USUAL =
      List.of(
          "CAP_CHOWN",
          "CAP_DAC_OVERRIDE",
          "CAP_FSETID",
          "CAP_FOWNER",
          "CAP_MKNOD",
          "CAP_NET_RAW",
          "CAP_SETGID",
          "CAP_SETUID",
          "CAP_SETFCAP",
          "CAP_SETPCAP",
          "CAP_NET_BIND_SERVICE",
          "CAP_SYS_CHROOT",
          "CAP_KILL",
          "CAP_AUDIT_WRITE");

  private CapabilitySection() {}

  /**
   * The set a container is bounded by.
   *
   * @param own what this daemon has itself, as a bit mask: more cannot be given
   */
  static List<String> bounding(
      boolean privileged, List<String> added, List<String> dropped, long own) {
    Set<String> set = new LinkedHashSet<>(privileged ? ALL : USUAL);
    if (dropped.stream().anyMatch(name -> name.equalsIgnoreCase("ALL"))) {
      set.clear();
    }
    for (var name : added) {
      if (name.equalsIgnoreCase("ALL")) {
        set.addAll(ALL);
      } else {
        set.add(known("--cap-add", name));
      }
    }
    for (var name : dropped) {
      if (!name.equalsIgnoreCase("ALL")) {
        set.remove(known("--cap-drop", name));
      }
    }
    set.removeIf(name -> (own >> ALL.indexOf(name) & 1) == 0);
    return List.copyOf(set);
  }

  private static String known(String option, String name) {
    var full = name.toUpperCase(Locale.ROOT);
    full = full.startsWith("CAP_") ? full : "CAP_" + full;
    if (!ALL.contains(full)) {
      throw Refusal.of(option + " " + name, "there is no such capability", "see capabilities(7)");
    }
    return full;
  }

  /**
   * The specification's section. Nothing is inheritable, so that a file's inheritable rights give
   * nobody anything; a user other than root starts with none, and gets at most the bounding set
   * through set-uid programs.
   */
  static Capabilities of(List<String> bounding, boolean root) {
    var own = root ? bounding : List.<String>of();
    return new Capabilities(bounding, own, List.of(), own, List.of(), Map.of());
  }
}
