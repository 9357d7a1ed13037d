package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Directories laid over each other. Source: the kernel's Documentation/filesystems/overlayfs.
 *
 * @param lowers read-only directories, topmost first, 1 to 500
 * @param writable where changes go; empty for a read-only overlay, which needs two lowers
 * @param options further options, for example "volatile", "userxattr" or "metacopy=off"
 */
public record Overlay(List<Path> lowers, Optional<Writable> writable, Set<String> options) {
  /**
   * The writable top.
   *
   * @param upper directory of changed files
   * @param work empty directory on the same file system, for the kernel's own use
   */
  public record Writable(Path upper, Path work) {}

  private static final int MOST_LOWERS = 500;

  /** The kernel takes at most a page of options in one text. */
  private static final int PAGE = 4096;

  public Overlay {
    lowers = List.copyOf(lowers);
    options = Set.copyOf(options);
    if (lowers.isEmpty() || lowers.size() > MOST_LOWERS) {
      throw new IllegalArgumentException(
          "overlay of " + lowers.size() + " lower directories: 1 to " + MOST_LOWERS);
    }
  }

  /** A read-only overlay without further options. */
  public static Overlay readOnly(List<Path> lowers) {
    return new Overlay(lowers, Optional.empty(), Set.of());
  }

  /**
   * Mounts at {@code target}.
   *
   * @throws KernelException EINVAL if a directory cannot be part of an overlay, for example an
   *     upper one on another overlay; ELOOP if upper and lower lie within each other
   */
  public Mount mount(Path target, Set<MountFlag> flags) throws IOException {
    String data = data(lowers);
    if (ByteText.encode(data).length < PAGE) {
      return Mount.attach("overlay", target, "overlay", flags, data);
    }
    return mountMany(target, flags);
  }

  private String data(List<Path> lowerPaths) {
    var parts = new ArrayList<String>();
    parts.add(
        "lowerdir=" + lowerPaths.stream().map(Overlay::escape).collect(Collectors.joining(":")));
    writable.ifPresent(top -> {
      parts.add("upperdir=" + escape(top.upper()));
      parts.add("workdir=" + escape(top.work()));
    });
    parts.addAll(options);
    return String.join(",", parts);
  }

  private static String escape(Path path) {
    return path.toString().replace("\\", "\\\\").replace(":", "\\:").replace(",", "\\,");
  }

  private Mount mountMany(Path target, Set<MountFlag> flags) throws IOException {
    try {
      return new FileSystemContext("overlay").mount(this, target, flags);
    } catch (KernelException e) {
      switch (e.errno()) {
        // Before 5.2 the calls are missing, before 6.5 the option that takes one lower at a time.
        case ENOSYS, EINVAL -> {
          return mountByDescriptors(target, flags, e);
        }
        default -> throw e;
      }
    }
  }

  /** Names each directory by an open descriptor, which makes the text short for 200 of them. */
  private Mount mountByDescriptors(Path target, Set<MountFlag> flags, KernelException before)
      throws IOException {
    try (var undo = new Undo()) {
      var paths = new ArrayList<Path>();
      for (Path lower : lowers) {
        var handle = undo.own(DirectoryHandle.open(lower));
        paths.add(Path.of("/proc/self/fd/" + handle.fd().number()));
      }
      String data = data(paths);
      if (ByteText.encode(data).length >= PAGE) {
        throw before;
      }
      return Mount.attach("overlay", target, "overlay", flags, data);
    }
  }

  /** The newer way to mount: one call per option, so that there is no limit to their length. */
  private static final class FileSystemContext {
    private static final int FSOPEN_CLOEXEC = 1;
    private static final int FSMOUNT_CLOEXEC = 1;
    private static final int FSCONFIG_SET_FLAG = 0;
    private static final int FSCONFIG_SET_STRING = 1;
    private static final int FSCONFIG_CMD_CREATE = 6;
    private static final int MOVE_MOUNT_F_EMPTY_PATH = 4;

    private static final Syscall FSOPEN = Syscall.numbered("fsopen", 430, ADDRESS, JAVA_INT);
    private static final Syscall FSCONFIG =
        Syscall.numbered("fsconfig", 431, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);
    private static final Syscall FSMOUNT =
        Syscall.numbered("fsmount", 432, JAVA_INT, JAVA_INT, JAVA_INT);
    private static final Syscall MOVE_MOUNT =
        Syscall.numbered("move_mount", 429, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT);

    private final String type;

    FileSystemContext(String type) {
      this.type = type;
    }

    Mount mount(Overlay overlay, Path target, Set<MountFlag> flags) throws IOException {
      String action = "mount " + type + " on '" + target + "'";
      try (var arena = Arena.ofConfined();
          var context =
              new Fd((int) FSOPEN.call(action, arena.allocateFrom(type), FSOPEN_CLOEXEC))) {
        set(context, "source", type, action);
        for (Path lower : overlay.lowers()) {
          set(context, "lowerdir+", lower.toString(), action);
        }
        if (overlay.writable().isPresent()) {
          set(context, "upperdir", overlay.writable().get().upper().toString(), action);
          set(context, "workdir", overlay.writable().get().work().toString(), action);
        }
        for (String option : overlay.options()) {
          int equals = option.indexOf('=');
          if (equals < 0) {
            configure(context, FSCONFIG_SET_FLAG, option, MemorySegment.NULL, action);
          } else {
            set(context, option.substring(0, equals), option.substring(equals + 1), action);
          }
        }
        if (flags.contains(MountFlag.READ_ONLY)) {
          configure(context, FSCONFIG_SET_FLAG, "ro", MemorySegment.NULL, action);
        }
        configure(context, FSCONFIG_CMD_CREATE, "", MemorySegment.NULL, action);
        try (var mount = new Fd((int) FSMOUNT.call(action, context.number(), FSMOUNT_CLOEXEC, 0))) {
          MOVE_MOUNT.call(
              action,
              mount.number(),
              arena.allocateFrom(""),
              At.CURRENT_DIRECTORY,
              ByteText.allocate(arena, target.toString()),
              MOVE_MOUNT_F_EMPTY_PATH);
        }
      }
      return withFlags(new Mount(target), flags);
    }

    private static Mount withFlags(Mount mount, Set<MountFlag> flags) throws IOException {
      if (!flags.isEmpty()) {
        try (var undo = new Undo()) {
          undo.own(mount);
          Mount.changeFlags(mount.target(), flags);
          undo.keep();
        }
      }
      return mount;
    }

    private static void set(Fd context, String key, String value, String action)
        throws KernelException {
      try (var arena = Arena.ofConfined()) {
        var text = ByteText.allocate(arena, value);
        configure(
            context, FSCONFIG_SET_STRING, key, text, action + ", " + key + "='" + value + "'");
      }
    }

    private static void configure(
        Fd context, int command, String key, MemorySegment value, String action)
        throws KernelException {
      try (var arena = Arena.ofConfined()) {
        var name = key.isEmpty() ? MemorySegment.NULL : arena.allocateFrom(key);
        long result = FSCONFIG.attempt(context.number(), command, name, value, 0);
        if (result < 0) {
          throw new KernelException(action + reason(context), FSCONFIG.name(), (int) -result);
        }
      }
    }

    /** What the kernel wrote about the failure; its lines start with a letter for the severity. */
    private static String reason(Fd context) {
      try (var arena = Arena.ofConfined()) {
        var buffer = arena.allocate(1024);
        long length = context.read(buffer);
        return " (" + ByteText.read(buffer, 0, length).strip() + ")";
      } catch (KernelException e) {
        return "";
      }
    }
  }
}
