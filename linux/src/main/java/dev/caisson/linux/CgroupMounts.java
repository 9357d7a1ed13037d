package dev.caisson.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The control group trees of this machine as this process sees them. Source: cgroups(7).
 *
 * @param hierarchies all that are mounted, each once
 */
public record CgroupMounts(List<CgroupHierarchy> hierarchies) {
  /** How the two versions are used. */
  public enum Layout {
    /** Only trees of the first version. */
    LEGACY,
    /** Trees of the first version hold controllers, the unified one is mounted beside them. */
    HYBRID,
    /** Only the unified tree. */
    UNIFIED
  }

  public CgroupMounts {
    hierarchies = List.copyOf(hierarchies);
  }

  /**
   * Looks at the mounts and at this process's groups.
   *
   * @throws IOException if no tree is mounted
   */
  public static CgroupMounts detect() throws IOException {
    var found =
        parse(
            MountTable.read(),
            Files.readString(Path.of("/proc/self/cgroup")),
            mountPoint ->
                new ControlFile(mountPoint.resolve("cgroup.controllers")).find().orElse(""));
    if (found.hierarchies.isEmpty()) {
      throw new IOException("no control group tree is mounted; mount cgroup2 on /sys/fs/cgroup");
    }
    return found;
  }

  /** Reads what a unified tree offers. */
  interface Offer {
    String controllers(Path mountPoint) throws IOException;
  }

  static CgroupMounts parse(MountTable mounts, String memberships, Offer offer) throws IOException {
    var found = new ArrayList<CgroupHierarchy>();
    for (MountInfo mount : mounts.mounts()) {
      boolean unified = mount.type().equals("cgroup2");
      if (!unified && !mount.type().equals("cgroup")) {
        continue;
      }
      Set<String> controllers =
          unified
              ? words(offer.controllers(mount.target()), " ")
              : controllersOf(mount.superOptions());
      if (found.stream()
          .noneMatch(h -> h.unified() == unified && h.controllers().equals(controllers))) {
        String own = own(memberships, controllers, unified, mount.root());
        found.add(new CgroupHierarchy(mount.target(), controllers, unified, own));
      }
    }
    return new CgroupMounts(found);
  }

  private static Set<String> controllersOf(String superOptions) {
    var controllers = words(superOptions, ",");
    controllers.removeIf(word ->
        Set.of("rw", "ro", "xattr", "noprefix", "clone_children", "cpuset_v2_mode").contains(word)
            || word.startsWith("release_agent="));
    return controllers;
  }

  private static Set<String> words(String text, String separator) {
    var words = new TreeSet<>(List.of(text.split(separator)));
    words.remove("");
    return words;
  }

  /** Lines have the form "4:memory:/path"; the unified one is "0::/path". */
  private static String own(
      String memberships, Set<String> controllers, boolean unified, String root) {
    for (String line : memberships.lines().toList()) {
      String[] fields = line.split(":", 3);
      boolean match = unified ? fields[0].equals("0") : words(fields[1], ",").equals(controllers);
      if (match) {
        String path = fields[2];
        boolean below = !root.equals("/") && (path + "/").startsWith(root + "/");
        String own = below ? path.substring(root.length()) : path;
        return own.isEmpty() ? "/" : own;
      }
    }
    return "/";
  }

  /** How the two versions are used here. */
  public Layout layout() {
    boolean legacy = hierarchies.stream().anyMatch(h -> !h.unified());
    boolean unified = hierarchies.stream().anyMatch(CgroupHierarchy::unified);
    return legacy ? unified ? Layout.HYBRID : Layout.LEGACY : Layout.UNIFIED;
  }

  /** The tree that has a controller, for example "memory"; a legacy one goes first. */
  public Optional<CgroupHierarchy> withController(String controller) {
    return hierarchies.stream()
        .filter(h -> h.controllers().contains(controller))
        .min((a, b) -> Boolean.compare(a.unified(), b.unified()));
  }

  /** The unified tree. */
  public Optional<CgroupHierarchy> unified() {
    return hierarchies.stream().filter(CgroupHierarchy::unified).findFirst();
  }

  /**
   * A group, which need not exist.
   *
   * @param path below the mount points, starting with "/", for example "/caisson/web"
   */
  public Cgroup group(String path) {
    return new Cgroup(this, path);
  }
}
