package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Instant;

/**
 * What the kernel knows about a file. Source: statx(2).
 *
 * @param kind its type
 * @param mode permission, set-id and sticky bits, 0 to 07777
 * @param uid owner
 * @param gid group
 * @param links number of names it has
 * @param size bytes; of a link, the length of its target
 * @param allocated bytes it takes on the disk, less than {@code size} if it has holes
 * @param inode number within its file system
 * @param fileSystem device of the file system it lies on
 * @param device what a device file stands for; 0:0 for other files
 * @param accessed time of the last read, in nanoseconds' precision
 * @param modified time of the last change of content
 * @param changed time of the last change of anything
 * @param mountRoot whether a file system is mounted here; false where the kernel cannot tell
 */
public record FileStatus(
    FileKind kind,
    int mode,
    int uid,
    int gid,
    int links,
    long size,
    long allocated,
    long inode,
    DeviceNumber fileSystem,
    DeviceNumber device,
    Instant accessed,
    Instant modified,
    Instant changed,
    boolean mountRoot) {
  private static final int SIZE = 256;
  private static final int BASIC = 0x7FF;
  private static final long ATTRIBUTE_MOUNT_ROOT = 0x2000;

  private static final Syscall STATX =
      Syscall.of("statx", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS);

  /** Of {@code name} in the directory; a link itself, not its target. */
  static FileStatus at(int directory, String name, String shown) throws KernelException {
    return read(directory, name, At.SYMLINK_NOFOLLOW, shown);
  }

  /** Of an open descriptor; {@code shown} names it in a failure. */
  public static FileStatus of(Fd fd, String shown) throws KernelException {
    return read(fd.number(), "", At.EMPTY_PATH, shown);
  }

  private static FileStatus read(int directory, String name, int flags, String shown)
      throws KernelException {
    try (var arena = Arena.ofConfined()) {
      var buffer = arena.allocate(SIZE, 8);
      STATX.call(
          "ask for the status of '" + shown + "'",
          directory,
          ByteText.allocate(arena, name),
          flags,
          BASIC,
          buffer);
      return parse(buffer);
    }
  }

  private static FileStatus parse(MemorySegment buffer) {
    int mode = buffer.get(JAVA_SHORT, 28) & 0xFFFF;
    return new FileStatus(
        FileKind.ofMode(mode),
        mode & 07777,
        buffer.get(JAVA_INT, 20),
        buffer.get(JAVA_INT, 24),
        buffer.get(JAVA_INT, 16),
        buffer.get(JAVA_LONG, 40),
        buffer.get(JAVA_LONG, 48) * 512,
        buffer.get(JAVA_LONG, 32),
        new DeviceNumber(buffer.get(JAVA_INT, 136), buffer.get(JAVA_INT, 140)),
        new DeviceNumber(buffer.get(JAVA_INT, 128), buffer.get(JAVA_INT, 132)),
        time(buffer, 64),
        time(buffer, 112),
        time(buffer, 96),
        (buffer.get(JAVA_LONG, 8) & ATTRIBUTE_MOUNT_ROOT) != 0);
  }

  private static Instant time(MemorySegment buffer, long offset) {
    return Instant.ofEpochSecond(
        buffer.get(JAVA_LONG, offset), Integer.toUnsignedLong(buffer.get(JAVA_INT, offset + 8)));
  }

  /** Whether it is a directory, not a link to one. */
  public boolean isDirectory() {
    return kind == FileKind.DIRECTORY;
  }
}
