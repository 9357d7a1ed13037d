package dev.caisson.engine.process;

import dev.caisson.engine.PodException;
import dev.caisson.engine.Reason;
import dev.caisson.linux.CgroupMounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The low-level runtimes of this machine. */
public final class LowLevelRuntimes {
  private static final List<String> KNOWN = List.of("crun", "runc");
  private static final List<String> FOLDERS =
      List.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin");

  private final CgroupMounts mounts;

  private LowLevelRuntimes(CgroupMounts mounts) {
    this.mounts = mounts;
  }

  /** Looks at this machine. */
  public static LowLevelRuntimes detect() throws IOException {
    return new LowLevelRuntimes(CgroupMounts.detect());
  }

  /** How the cgroup hierarchies are mounted: {@code v1}, {@code hybrid} or {@code v2}. */
  public String cgroups() {
    return switch (mounts.layout()) {
      case LEGACY -> "v1";
      case HYBRID -> "hybrid";
      case UNIFIED -> "v2";
    };
  }

  /** All that are installed, the best first. */
  public List<Path> installed() {
    var found = new ArrayList<Path>();
    for (var name : KNOWN) {
      find(name).ifPresent(found::add);
    }
    return found;
  }

  /**
   * The runtime a user's word means: {@code auto}, {@code crun}, {@code runc} or an absolute path.
   *
   * @throws PodException {@code INVALID} when it is not there
   */
  public Path choose(String word) {
    if (word.equals("auto")) {
      return auto();
    }
    if (word.startsWith("/")) {
      var path = Path.of(word);
      if (!Files.isExecutable(path)) {
        throw missing(word, "there is no such program");
      }
      return path;
    }
    return KNOWN.stream()
        .filter(word::equals)
        .findAny()
        .flatMap(LowLevelRuntimes::find)
        .orElseThrow(() -> missing(word, "it is not installed"));
  }

  /**
   * crun is faster; but before 1.9 or so it refuses a hybrid hierarchy while controllers sit on the
   * v2 side, which runc does not mind.
   */
  private Path auto() {
    var crun = find("crun");
    if (crun.isPresent() && !isHybridWithControllersOnUnified()) {
      return crun.get();
    }
    return find("runc")
        .or(() -> crun)
        .orElseThrow(() -> missing("auto", "neither crun nor runc is installed"));
  }

  private boolean isHybridWithControllersOnUnified() {
    return mounts.layout() == CgroupMounts.Layout.HYBRID
        && mounts.unified().filter(unified -> !unified.controllers().isEmpty()).isPresent();
  }

  private static Optional<Path> find(String name) {
    return FOLDERS.stream()
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static PodException missing(String word, String found) {
    return new PodException(
        Reason.INVALID,
        "choose low-level runtime '" + word + "'",
        found,
        "install package crun or runc, or give the absolute path of a runtime");
  }
}
