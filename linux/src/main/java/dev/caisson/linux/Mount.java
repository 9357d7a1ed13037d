package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Set;

/**
 * A mount that this process made, to be unmounted by {@link #close}.
 *
 * <p>Forgetting the object without closing it leaves the mount in place; {@link #unmount} and
 * {@link #detach} work on any mount by its path. Errors of all calls: EPERM without CAP_SYS_ADMIN,
 * ENOENT, ENOTDIR, EINVAL for options the file system does not know. Source: mount(2), umount2(2).
 */
public final class Mount implements AutoCloseable {
  private static final long MS_REMOUNT = 32;
  private static final long MS_BIND = 4096;
  private static final long MS_MOVE = 8192;
  private static final long MS_REC = 16384;
  private static final int MNT_DETACH = 2;
  private static final int UMOUNT_NOFOLLOW = 8;

  private static final Syscall MOUNT =
      Syscall.of("mount", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS);
  private static final Syscall UMOUNT2 = Syscall.of("umount2", JAVA_INT, ADDRESS, JAVA_INT);

  private final Path target;
  private boolean mounted = true;

  Mount(Path target) {
    this.target = target;
  }

  /**
   * Mounts a file system.
   *
   * @param source a device, or a word that mountinfo shows
   * @param type for example "tmpfs" or "proc"
   * @param data options of the file system, joined by commas; less than a page
   */
  public static Mount attach(
      String source, Path target, String type, Set<MountFlag> flags, String data)
      throws KernelException {
    call(
        "mount " + type + " on '" + target + "'",
        source,
        target,
        type,
        MountFlag.bits(flags),
        data);
    return new Mount(target);
  }

  /** Makes the file or directory {@code source} appear at {@code target} too. */
  public static Mount bind(Path source, Path target) throws KernelException {
    return bind(source, target, MS_BIND);
  }

  /** Like {@link #bind}, with everything that is mounted below {@code source}. */
  public static Mount bindTree(Path source, Path target) throws KernelException {
    return bind(source, target, MS_BIND | MS_REC);
  }

  private static Mount bind(Path source, Path target, long flags) throws KernelException {
    call("bind '" + source + "' to '" + target + "'", source.toString(), target, "", flags, "");
    return new Mount(target);
  }

  /**
   * Changes the flags of one mount, not of its file system. Flags that were set and are not given
   * are cleared.
   *
   * @throws KernelException EPERM if one to be cleared is locked by an outer user namespace, EBUSY
   *     for read-only while files are open for writing
   */
  public static void changeFlags(Path target, Set<MountFlag> flags) throws KernelException {
    long bits = MountFlag.bits(flags) | MS_REMOUNT | MS_BIND;
    call("change the flags of mount '" + target + "' to " + flags, "none", target, "", bits, "");
  }

  /** Changes flags and options of the file system that is mounted at {@code target}. */
  public static void remount(Path target, Set<MountFlag> flags, String data)
      throws KernelException {
    long bits = MountFlag.bits(flags) | MS_REMOUNT;
    call("remount '" + target + "'", "none", target, "", bits, data);
  }

  /** Sets the propagation of the mount at {@code target}. */
  public static void propagate(Path target, Propagation propagation) throws KernelException {
    call("make mount '" + target + "' " + propagation, "none", target, "", propagation.bit(), "");
  }

  /** Sets the propagation of the mount at {@code target} and of all below it. */
  public static void propagateTree(Path target, Propagation propagation) throws KernelException {
    long bits = propagation.bit() | MS_REC;
    call("make mounts from '" + target + "' " + propagation, "none", target, "", bits, "");
  }

  /** Moves a mount with all below it. EINVAL if its parent is shared. */
  public static void move(Path from, Path to) throws KernelException {
    call("move mount '" + from + "' to '" + to + "'", from.toString(), to, "", MS_MOVE, "");
  }

  private static void call(
      String action, String source, Path target, String type, long flags, String data)
      throws KernelException {
    try (var arena = Arena.ofConfined()) {
      MOUNT.call(
          action,
          ByteText.allocate(arena, source),
          ByteText.allocate(arena, target.toString()),
          optional(arena, type),
          flags,
          optional(arena, data));
    }
  }

  private static MemorySegment optional(Arena arena, String text) {
    return text.isEmpty() ? MemorySegment.NULL : ByteText.allocate(arena, text);
  }

  /**
   * Unmounts the topmost mount at {@code target}; a link there is not followed.
   *
   * @throws KernelException EBUSY if files below are open or something is mounted below, EINVAL if
   *     nothing is mounted
   */
  public static void unmount(Path target) throws KernelException {
    unmount(target, UMOUNT_NOFOLLOW);
  }

  /**
   * Takes the topmost mount at {@code target}, with all below it, out of sight at once; it ends
   * when its last user does.
   *
   * @throws KernelException EINVAL if nothing is mounted
   */
  public static void detach(Path target) throws KernelException {
    unmount(target, UMOUNT_NOFOLLOW | MNT_DETACH);
  }

  private static void unmount(Path target, int flags) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      UMOUNT2.call("unmount '" + target + "'", ByteText.allocate(arena, target.toString()), flags);
    }
  }

  /** Where it is mounted. */
  public Path target() {
    return target;
  }

  /**
   * Unmounts; a mount that is still in use is detached instead. A second call does nothing, and so
   * does the first if somebody else has unmounted it.
   */
  @Override
  public void close() throws KernelException {
    if (!mounted) {
      return;
    }
    try {
      unmount(target);
    } catch (KernelException e) {
      switch (e.errno()) {
        case EBUSY -> detach(target);
        case EINVAL, ENOENT -> {}
        default -> throw e;
      }
    }
    mounted = false;
  }
}
