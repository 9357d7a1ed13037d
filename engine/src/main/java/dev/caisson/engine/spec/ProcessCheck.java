package dev.caisson.engine.spec;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Checks a {@code process} section. Source: runtime specification, config.md, Process. */
final class ProcessCheck {
  /** Source: setrlimit(2). */
  private static final List<String> RLIMITS =
      List.of(
          "RLIMIT_AS",
          "RLIMIT_CORE",
          "RLIMIT_CPU",
          "RLIMIT_DATA",
          "RLIMIT_FSIZE",
          "RLIMIT_LOCKS",
          "RLIMIT_MEMLOCK",
          "RLIMIT_MSGQUEUE",
          "RLIMIT_NICE",
          "RLIMIT_NOFILE",
          "RLIMIT_NPROC",
          "RLIMIT_RSS",
          "RLIMIT_RTPRIO",
          "RLIMIT_RTTIME",
          "RLIMIT_SIGPENDING",
          "RLIMIT_STACK");

  /** Source: capabilities(7), without the prefix CAP_. */
  private static final Set<String> CAPABILITIES =
      Set.of(
          "AUDIT_CONTROL",
          "AUDIT_READ",
          "AUDIT_WRITE",
          "BLOCK_SUSPEND",
          "BPF",
          "CHECKPOINT_RESTORE",
          "CHOWN",
          "DAC_OVERRIDE",
          "DAC_READ_SEARCH",
          "FOWNER",
          "FSETID",
          "IPC_LOCK",
          "IPC_OWNER",
          "KILL",
          "LEASE",
          "LINUX_IMMUTABLE",
          "MAC_ADMIN",
          "MAC_OVERRIDE",
          "MKNOD",
          "NET_ADMIN",
          "NET_BIND_SERVICE",
          "NET_BROADCAST",
          "NET_RAW",
          "PERFMON",
          "SETFCAP",
          "SETGID",
          "SETPCAP",
          "SETUID",
          "SYSLOG",
          "SYS_ADMIN",
          "SYS_BOOT",
          "SYS_CHROOT",
          "SYS_MODULE",
          "SYS_NICE",
          "SYS_PACCT",
          "SYS_PTRACE",
          "SYS_RAWIO",
          "SYS_RESOURCE",
          "SYS_TIME",
          "SYS_TTY_CONFIG",
          "WAKE_ALARM");

  private static final String FIFO = "SCHED_FIFO";
  private static final String ROUND_ROBIN = "SCHED_RR";
  private static final String DEADLINE = "SCHED_DEADLINE";
  private static final List<String> POLICIES =
      List.of("SCHED_OTHER", FIFO, ROUND_ROBIN, "SCHED_BATCH", "SCHED_ISO", "SCHED_IDLE", DEADLINE);
  private static final List<String> SCHEDULER_FLAGS =
      List.of(
          "SCHED_FLAG_RESET_ON_FORK",
          "SCHED_FLAG_RECLAIM",
          "SCHED_FLAG_DL_OVERRUN",
          "SCHED_FLAG_KEEP_POLICY",
          "SCHED_FLAG_KEEP_PARAMS",
          "SCHED_FLAG_UTIL_CLAMP_MIN",
          "SCHED_FLAG_UTIL_CLAMP_MAX");
  private static final List<String> IO_CLASSES =
      List.of("IOPRIO_CLASS_RT", "IOPRIO_CLASS_BE", "IOPRIO_CLASS_IDLE");

  /** The kernel counts a terminal's lines and columns in 16 bits. Source: ioctl_tty(2). */
  private static final long LARGEST_TERMINAL = 65_535;

  private static final int UMASK_BITS = 0777;

  private ProcessCheck() {}

  /**
   * Checks it.
   *
   * @param at where it stands; empty for a section alone
   */
  static void check(Process process, String at, Findings findings) {
    var path = at.isEmpty() ? "" : at + ".";
    process
        .consoleSize()
        .ifPresent(size -> {
          findings.within(path + "consoleSize.height", size.height(), 0, LARGEST_TERMINAL);
          findings.within(path + "consoleSize.width", size.width(), 0, LARGEST_TERMINAL);
        });
    process.user().ifPresent(user -> user(user, path + "user", findings));
    arguments(process.args(), path + "args", findings);
    environment(process.env(), path + "env", findings);
    findings.absolute(path + "cwd", process.cwd());
    process.capabilities().ifPresent(sets -> capabilities(sets, path + "capabilities", findings));
    rlimits(process.rlimits(), path + "rlimits", findings);
    findings.within(path + "oomScoreAdj", process.oomScoreAdj(), -1000, 1000);
    process.scheduler().ifPresent(s -> scheduler(s, path + "scheduler", findings));
    process
        .ioPriority()
        .ifPresent(priority -> {
          findings.oneOf(path + "ioPriority.class", priority.ioClass(), IO_CLASSES);
          findings.required(path + "ioPriority.priority", priority.priority(), 0, 7);
        });
    process
        .execCpuAffinity()
        .ifPresent(affinity -> {
          findings.numbers(path + "execCPUAffinity.initial", affinity.initial());
          findings.numbers(path + "execCPUAffinity.final", affinity.last());
        });
  }

  private static void user(User user, String path, Findings findings) {
    findings.within(path + ".uid", user.uid(), 0, Findings.LARGEST_ID);
    findings.within(path + ".gid", user.gid(), 0, Findings.LARGEST_ID);
    findings.within(path + ".umask", user.umask(), 0, UMASK_BITS);
    for (int i = 0; i < user.additionalGids().size(); i++) {
      findings.within(
          path + ".additionalGids[" + i + "]",
          user.additionalGids().get(i),
          0,
          Findings.LARGEST_ID);
    }
  }

  private static void arguments(List<String> args, String path, Findings findings) {
    if (args.isEmpty()) {
      findings.error(path, "missing or empty, wanted the program to run");
      return;
    }
    findings.given(path + "[0]", args.getFirst(), "the program to run");
    for (int i = 1; i < args.size(); i++) {
      findings.plain(path + "[" + i + "]", args.get(i));
    }
  }

  static void environment(List<String> env, String path, Findings findings) {
    for (int i = 0; i < env.size(); i++) {
      var entry = env.get(i);
      if (findings.plain(path + "[" + i + "]", entry) && entry.indexOf('=') < 1) {
        findings.wrong(path + "[" + i + "]", entry, "NAME=value");
      }
    }
  }

  private static void capabilities(Capabilities sets, String path, Findings findings) {
    names(sets.bounding(), path + ".bounding", findings);
    names(sets.effective(), path + ".effective", findings);
    names(sets.inheritable(), path + ".inheritable", findings);
    names(sets.permitted(), path + ".permitted", findings);
    names(sets.ambient(), path + ".ambient", findings);
    subset(sets.effective(), path + ".effective", Map.of("permitted", sets.permitted()), findings);
    subset(
        sets.ambient(),
        path + ".ambient",
        Map.of("permitted", sets.permitted(), "inheritable", sets.inheritable()),
        findings);
  }

  /** What nobody knows cannot be given; the specification wants that said, not refused. */
  private static void names(List<String> names, String path, Findings findings) {
    for (int i = 0; i < names.size(); i++) {
      var name = names.get(i);
      if (!name.startsWith("CAP_") || !CAPABILITIES.contains(name.substring(4))) {
        findings.warning(
            path + "[" + i + "]", "'" + name + "' is no capability this program knows of");
      }
    }
  }

  /** The kernel refuses such sets with EPERM. Source: capset(2), prctl(2) PR_CAP_AMBIENT. */
  private static void subset(
      List<String> part, String path, Map<String, List<String>> wholes, Findings findings) {
    for (int i = 0; i < part.size(); i++) {
      var name = part.get(i);
      for (var whole : wholes.entrySet()) {
        if (!whole.getValue().contains(name)) {
          findings.wrong(path + "[" + i + "]", name, "only what is in " + whole.getKey() + " too");
        }
      }
    }
  }

  private static void rlimits(List<Rlimit> rlimits, String path, Findings findings) {
    var seen = new HashSet<String>();
    for (int i = 0; i < rlimits.size(); i++) {
      var rlimit = rlimits.get(i);
      var here = path + "[" + i + "]";
      if (findings.oneOf(here + ".type", rlimit.type(), RLIMITS) && !seen.add(rlimit.type())) {
        findings.error(here + ".type", "found '" + rlimit.type() + "' twice, wanted one entry");
      }
      findings.required(here + ".soft", rlimit.soft());
      findings.required(here + ".hard", rlimit.hard());
      if (rlimit.soft().isPresent()
          && rlimit.hard().isPresent()
          && Long.compareUnsigned(rlimit.soft().get(), rlimit.hard().get()) > 0) {
        findings.error(
            here + ".soft",
            "found "
                + Long.toUnsignedString(rlimit.soft().get())
                + ", wanted at most the hard limit "
                + Long.toUnsignedString(rlimit.hard().get()));
      }
    }
  }

  private static void scheduler(Scheduler scheduler, String path, Findings findings) {
    var policy = scheduler.policy();
    findings.oneOf(path + ".policy", policy, POLICIES);
    findings.within(path + ".nice", scheduler.nice(), -20, 19);
    if (policy.equals(FIFO) || policy.equals(ROUND_ROBIN)) {
      findings.within(path + ".priority", scheduler.priority().orElse(0), 1, 99);
    } else if (scheduler.priority().orElse(0) != 0) {
      findings.wrong(path + ".priority", scheduler.priority().get(), "0 with this policy");
    }
    for (int i = 0; i < scheduler.flags().size(); i++) {
      findings.oneOf(path + ".flags[" + i + "]", scheduler.flags().get(i), SCHEDULER_FLAGS);
    }
    deadline(path + ".runtime", scheduler.runtime(), policy, findings);
    deadline(path + ".deadline", scheduler.deadline(), policy, findings);
    deadline(path + ".period", scheduler.period(), policy, findings);
    if (Long.compareUnsigned(scheduler.runtime().orElse(0L), scheduler.deadline().orElse(-1L))
        > 0) {
      findings.error(path + ".runtime", "longer than the deadline, wanted less");
    }
  }

  private static void deadline(
      String path, Optional<Long> value, String policy, Findings findings) {
    if (value.orElse(0L) != 0 && !policy.equals(DEADLINE)) {
      findings.error(path, "found a time, wanted none without policy " + DEADLINE);
    }
  }

  /** A user that its user namespace does not map cannot be become. */
  static void mapped(Process process, Linux linux, Findings findings) {
    var user = process.user().orElse(User.ROOT);
    mapped("process.user.uid", user.uid(), "linux.uidMappings", linux.uidMappings(), findings);
    mapped("process.user.gid", user.gid(), "linux.gidMappings", linux.gidMappings(), findings);
  }

  private static void mapped(
      String path, long id, String section, List<IdMapping> mappings, Findings findings) {
    if (!mappings.isEmpty() && mappings.stream().noneMatch(mapping -> mapping.holds(id))) {
      findings.wrong(path, id, "one that " + section + " maps");
    }
  }
}
