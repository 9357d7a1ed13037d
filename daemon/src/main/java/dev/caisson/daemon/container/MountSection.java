package dev.caisson.daemon.container;

import dev.caisson.engine.spec.Mount;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.MountSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;

/** The specification's {@code mounts}: the usual ones, the generated files, and the user's. */
final class MountSection {
  private static final long SHM_BYTES = 64L << 20;

  private MountSection() {}

  static List<Mount> of(ContainerSettings settings, Path files, boolean hostIpc) {
    var privileged = settings.security().privileged();
    var entries = new ArrayList<Mount>();
    add(entries, "/proc", "proc", "proc", "nosuid", "noexec", "nodev");
    add(entries, "/dev", "tmpfs", "tmpfs", "nosuid", "strictatime", "mode=755", "size=65536k");
    add(
        entries,
        "/dev/pts",
        "devpts",
        "devpts",
        "nosuid",
        "noexec",
        "newinstance",
        "ptmxmode=0666",
        "mode=0620",
        "gid=5");
    if (settings.network().equals("host")) {
      // sysfs shows the network namespace that mounts it; without a namespace of its own only the
      // host's can be shown.
      add(
          entries,
          "/sys",
          "bind",
          "/sys",
          "rbind",
          "nosuid",
          "noexec",
          "nodev",
          readOnly(privileged));
    } else {
      add(entries, "/sys", "sysfs", "sysfs", "nosuid", "noexec", "nodev", readOnly(privileged));
    }
    add(
        entries,
        "/sys/fs/cgroup",
        "cgroup",
        "cgroup",
        "nosuid",
        "noexec",
        "nodev",
        "relatime",
        readOnly(privileged));
    if (hostIpc) {
      add(entries, "/dev/shm", "bind", "/dev/shm", "rbind", "nosuid", "noexec", "nodev");
      add(entries, "/dev/mqueue", "bind", "/dev/mqueue", "rbind", "nosuid", "noexec", "nodev");
    } else {
      var size = settings.shmBytes().orElse(SHM_BYTES);
      if (size < 0) {
        throw Refusal.of("--shm-size " + size, "negative", "give bytes such as 64m");
      }
      add(
          entries,
          "/dev/shm",
          "tmpfs",
          "shm",
          "nosuid",
          "noexec",
          "nodev",
          "mode=1777",
          "size=" + size);
      add(entries, "/dev/mqueue", "mqueue", "mqueue", "nosuid", "noexec", "nodev");
    }
    var root = settings.security().readonlyRoot() ? "ro" : "rw";
    for (var name : List.of("hosts", "hostname", "resolv.conf")) {
      add(
          entries,
          "/etc/" + name,
          "bind",
          files.resolve(name).toString(),
          "rbind",
          "rprivate",
          root);
    }
    var taken = new HashSet<String>();
    for (var mount : settings.mounts()) {
      var destination = destination(mount);
      if (!taken.add(destination)) {
        throw Refusal.of(
            "mount at '" + destination + "'", "two mounts have this destination", "drop one");
      }
      entries.removeIf(entry -> entry.destination().equals(destination));
      entries.add(entry(mount, destination));
    }
    // What is mounted below another comes after it; otherwise the order given is kept.
    entries.sort(Comparator.comparingInt(entry -> Path.of(entry.destination()).getNameCount()));
    return entries;
  }

  /** Whether something is mounted at a place, or above it. */
  static boolean cover(List<Mount> mounts, String place) {
    return mounts.stream().anyMatch(mount -> Path.of(place).startsWith(mount.destination()));
  }

  private static String readOnly(boolean privileged) {
    return privileged ? "rw" : "ro";
  }

  private static void add(
      List<Mount> entries, String destination, String type, String source, String... options) {
    entries.add(Mount.of(destination, type, source, List.of(options)));
  }

  /** Absolute, without {@code ..}: the container's root cannot be left, and is not mounted over. */
  private static String destination(MountSettings mount) {
    var path = Path.of(mount.destination());
    if (!path.isAbsolute()) {
      throw Refusal.of(
          "mount at '" + mount.destination() + "'", "the path is relative", "begin it with /");
    }
    var clean = path.normalize();
    if (clean.getNameCount() == 0) {
      throw Refusal.of(
          "mount at '" + mount.destination() + "'", "it is the root itself", "name a path below /");
    }
    return clean.toString();
  }

  private static Mount entry(MountSettings mount, String destination) {
    return switch (mount.kind()) {
      case BIND -> bind(mount, destination);
      case TMPFS -> {
        var options = new ArrayList<>(List.of("nosuid", "nodev"));
        options.addAll(mount.options());
        yield Mount.of(destination, "tmpfs", "tmpfs", options);
      }
    };
  }

  private static Mount bind(MountSettings mount, String destination) {
    var source = Path.of(mount.source());
    if (!source.isAbsolute()) {
      throw Refusal.of(
          "bind mount of '" + mount.source() + "'", "the path is relative", "begin it with /");
    }
    if (!Files.exists(source)) {
      if (!mount.createSource()) {
        throw Refusal.of(
            "bind mount of '" + source + "'",
            "there is no such file or directory",
            "make it first");
      }
      try {
        Files.createDirectories(source);
      } catch (IOException e) {
        throw Refusal.of(
            "bind mount of '" + source + "'", "it cannot be made: " + e.getMessage(), "");
      }
    }
    var options = new ArrayList<String>();
    options.add("rbind");
    options.addAll(mount.options());
    if (mount.options().stream().noneMatch(MountSection::isPropagation)) {
      options.add("rprivate");
    }
    return Mount.of(destination, "bind", source.toString(), options);
  }

  private static boolean isPropagation(String option) {
    return List.of("private", "rprivate", "shared", "rshared", "slave", "rslave", "unbindable")
        .contains(option);
  }
}
