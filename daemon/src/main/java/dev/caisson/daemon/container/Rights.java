package dev.caisson.daemon.container;

import dev.caisson.engine.spec.Rlimit;
import dev.caisson.library.ProcessSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What this process itself may do, and so can give.
 *
 * @param capabilities its effective set, as a bit mask
 * @param hardLimits its hard resource limits by name; -1 is unlimited
 * @param oomScoreAdjust its own score, below which it cannot go without CAP_SYS_RESOURCE
 */
public record Rights(long capabilities, Map<String, Long> hardLimits, int oomScoreAdjust) {
  private static final int CAP_SYS_RESOURCE = 24;

  private static final Map<String, String> NAMES =
      Map.ofEntries(
          Map.entry("Max cpu time", "cpu"),
          Map.entry("Max file size", "fsize"),
          Map.entry("Max data size", "data"),
          Map.entry("Max stack size", "stack"),
          Map.entry("Max core file size", "core"),
          Map.entry("Max resident set", "rss"),
          Map.entry("Max processes", "nproc"),
          Map.entry("Max open files", "nofile"),
          Map.entry("Max locked memory", "memlock"),
          Map.entry("Max address space", "as"),
          Map.entry("Max file locks", "locks"),
          Map.entry("Max pending signals", "sigpending"),
          Map.entry("Max msgqueue size", "msgqueue"),
          Map.entry("Max nice priority", "nice"),
          Map.entry("Max realtime priority", "rtprio"),
          Map.entry("Max realtime timeout", "rttime"));

  /** Reads this process's own. */
  public static Rights own() throws IOException {
    long capabilities = 0;
    for (var line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("CapEff:")) {
        capabilities = Long.parseUnsignedLong(line.substring(7).strip(), 16);
      }
    }
    var limits = new HashMap<String, Long>();
    for (var line : Files.readAllLines(Path.of("/proc/self/limits"))) {
      NAMES.forEach((title, name) -> {
        if (line.startsWith(title + " ")) {
          var values = List.of(line.substring(title.length()).strip().split("\\s+"));
          limits.put(name, values.get(1).equals("unlimited") ? -1 : Long.parseLong(values.get(1)));
        }
      });
    }
    var score = Integer.parseInt(Files.readString(Path.of("/proc/self/oom_score_adj")).strip());
    return new Rights(capabilities, Map.copyOf(limits), score);
  }

  /** Whether limits can be raised. */
  public boolean canRaiseLimits() {
    return (capabilities >> CAP_SYS_RESOURCE & 1) != 0;
  }

  /** The specification's entry for a limit the user asked for. */
  Rlimit checkedRlimit(ProcessSettings.Rlimit wanted) {
    var name = wanted.name().toLowerCase(Locale.ROOT);
    var own = hardLimits.get(name);
    var option = "--ulimit " + name + "=" + wanted.soft() + ":" + wanted.hard();
    if (own == null) {
      throw Refusal.of(option, "there is no such limit", "see setrlimit(2)");
    }
    if (wanted.soft() < -1 || wanted.hard() < -1) {
      throw Refusal.of(option, "negative", "give 0 or more, or -1 for unlimited");
    }
    if (above(wanted.soft(), wanted.hard())) {
      throw Refusal.of(option, "the soft limit is above the hard one", "give soft:hard");
    }
    if (!canRaiseLimits() && above(wanted.hard(), own)) {
      throw Refusal.of(
          option,
          "this machine lets the daemon give at most " + (own == -1 ? "unlimited" : own),
          "give less, or run the daemon with CAP_SYS_RESOURCE");
    }
    return Rlimit.of("RLIMIT_" + name.toUpperCase(Locale.ROOT), wanted.soft(), wanted.hard());
  }

  private static boolean above(long value, long bound) {
    return bound != -1 && (value == -1 || value > bound);
  }

  int checkedOomScore(int score) {
    if (score < -1000 || score > 1000) {
      throw Refusal.of("--oom-score-adj " + score, "out of range", "give -1000 to 1000");
    }
    if (!canRaiseLimits() && score < oomScoreAdjust) {
      throw Refusal.of(
          "--oom-score-adj " + score,
          "this machine lets the daemon give at least " + oomScoreAdjust,
          "give more, or run the daemon with CAP_SYS_RESOURCE");
    }
    return score;
  }
}
