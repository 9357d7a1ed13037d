package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * Kind and free space of a mounted file system. Source: statfs(2).
 *
 * @param magic the kind, for example {@link #OVERLAY}
 * @param blockSize bytes per block
 * @param size bytes in all
 * @param available bytes that this process may still use
 * @param files number of files it can hold; 0 where there is no such limit
 * @param freeFiles number of files that can still be made
 */
public record FileSystemStatus(
    long magic, long blockSize, long size, long available, long files, long freeFiles) {
  /** Magic number of overlay. */
  public static final long OVERLAY = 0x794C7630L;

  /** Magic number of tmpfs. */
  public static final long TMPFS = 0x01021994L;

  /** Magic number of proc. */
  public static final long PROC = 0x9FA0L;

  /** Magic number of sysfs. */
  public static final long SYSFS = 0x62656572L;

  /** Magic number of the unified cgroup hierarchy. */
  public static final long CGROUP2 = 0x63677270L;

  private static final Syscall STATFS = Syscall.of("statfs", JAVA_INT, ADDRESS, ADDRESS);
  private static final Syscall FSTATFS = Syscall.of("fstatfs", JAVA_INT, JAVA_INT, ADDRESS);
  private static final int STRUCT_SIZE = 120;

  /** Of the file system that {@code path} lies on. */
  public static FileSystemStatus of(Path path) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      var buffer = arena.allocate(STRUCT_SIZE, 8);
      STATFS.callThroughSignals(
          "ask for the file system of '" + path + "'",
          ByteText.allocate(arena, path.toString()),
          buffer);
      return parse(buffer);
    }
  }

  /** Of the file system that an open directory lies on. */
  public static FileSystemStatus of(DirectoryHandle directory) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      var buffer = arena.allocate(STRUCT_SIZE, 8);
      FSTATFS.callThroughSignals(
          "ask for the file system of '" + directory + "'", directory.fd().number(), buffer);
      return parse(buffer);
    }
  }

  private static FileSystemStatus parse(MemorySegment buffer) {
    long block = buffer.get(JAVA_LONG, 8);
    return new FileSystemStatus(
        buffer.get(JAVA_LONG, 0),
        block,
        buffer.get(JAVA_LONG, 16) * block,
        buffer.get(JAVA_LONG, 32) * block,
        buffer.get(JAVA_LONG, 40),
        buffer.get(JAVA_LONG, 48));
  }
}
