package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.OptionalLong;

/** An open file: its content, and what can be set through its descriptor. For one thread. */
public final class OpenFile implements AutoCloseable {
  private static final int FALLOC_KEEP_SIZE = 1;
  private static final int FALLOC_PUNCH_HOLE = 2;
  private static final int SEEK_DATA = 3;
  private static final int SEEK_HOLE = 4;

  private static final Syscall PWRITE =
      Syscall.of("pwrite", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);
  private static final Syscall PREAD =
      Syscall.of("pread", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);
  private static final Syscall LSEEK =
      Syscall.of("lseek", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT);
  private static final Syscall FTRUNCATE = Syscall.of("ftruncate", JAVA_INT, JAVA_INT, JAVA_LONG);
  private static final Syscall FALLOCATE =
      Syscall.of("fallocate", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final Syscall FSYNC = Syscall.of("fsync", JAVA_INT, JAVA_INT);
  private static final Syscall FCHOWN =
      Syscall.of("fchown", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
  private static final Syscall FCHMOD = Syscall.of("fchmod", JAVA_INT, JAVA_INT, JAVA_INT);
  private static final Syscall FUTIMENS = Syscall.of("futimens", JAVA_INT, JAVA_INT, ADDRESS);
  private static final Syscall COPY_FILE_RANGE =
      Syscall.of(
          "copy_file_range", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);

  private final Fd fd;
  private final String shown;

  OpenFile(Fd fd, String shown) {
    this.fd = fd;
    this.shown = shown;
  }

  /** The descriptor; stays owned by this object. */
  public Fd fd() {
    return fd;
  }

  /** What the kernel knows about the file. */
  public FileStatus status() throws KernelException {
    return FileStatus.of(fd, shown);
  }

  /** Writes the whole buffer at {@code position}, in as many calls as it takes. */
  public void write(MemorySegment buffer, long position) throws KernelException {
    long done = 0;
    while (done < buffer.byteSize()) {
      MemorySegment rest = buffer.asSlice(done);
      done +=
          PWRITE.callThroughSignals(
              "write '" + shown + "'", fd.number(), rest, rest.byteSize(), position + done);
    }
  }

  /** Reads at {@code position} up to the buffer's size; 0 at the end of the file. */
  public long read(MemorySegment buffer, long position) throws KernelException {
    return PREAD.callThroughSignals(
        "read '" + shown + "'", fd.number(), buffer, buffer.byteSize(), position);
  }

  /**
   * The start of the next data at or after {@code position}; empty if only a hole follows. On a
   * file system without holes, {@code position} itself. Source: lseek(2), SEEK_DATA.
   */
  public OptionalLong nextData(long position) throws KernelException {
    long found = LSEEK.attempt(fd.number(), position, SEEK_DATA);
    if (found == -Errno.ENXIO.number()) {
      return OptionalLong.empty();
    }
    if (found < 0) {
      throw new KernelException("find data in '" + shown + "'", "lseek", (int) -found);
    }
    return OptionalLong.of(found);
  }

  /** The end of the data at {@code position}: the next hole or the end of the file. */
  public long nextHole(long position) throws KernelException {
    return LSEEK.call("find a hole in '" + shown + "'", fd.number(), position, SEEK_HOLE);
  }

  /** Makes the file {@code size} bytes long; what is added reads as zeros and takes no space. */
  public void truncate(long size) throws KernelException {
    FTRUNCATE.callThroughSignals("set the size of '" + shown + "'", fd.number(), size);
  }

  /** Turns a range into a hole. EOPNOTSUPP where the file system has none. */
  public void punchHole(long position, long length) throws KernelException {
    FALLOCATE.callThroughSignals(
        "make a hole in '" + shown + "'",
        fd.number(),
        FALLOC_KEEP_SIZE | FALLOC_PUNCH_HOLE,
        position,
        length);
  }

  /** Takes the space of a range from the disk at once. ENOSPC if there is not enough. */
  public void allocate(long position, long length) throws KernelException {
    FALLOCATE.callThroughSignals(
        "allocate space for '" + shown + "'", fd.number(), FALLOC_KEEP_SIZE, position, length);
  }

  /**
   * Copies a range within the kernel, sharing blocks where the file system can.
   *
   * @return bytes copied, 0 at the end of {@code source}
   * @throws KernelException EXDEV, EINVAL or EOPNOTSUPP where the two files cannot be copied so
   */
  public long copyFrom(OpenFile source, long from, long to, long length) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      return COPY_FILE_RANGE.callThroughSignals(
          "copy '" + source.shown + "' to '" + shown + "'",
          source.fd.number(),
          arena.allocateFrom(JAVA_LONG, from),
          fd.number(),
          arena.allocateFrom(JAVA_LONG, to),
          length,
          0);
    }
  }

  /** Sets the owner. Clears set-id bits and capabilities, so mode and attributes come after. */
  public void chown(int uid, int gid) throws KernelException {
    FCHOWN.call("set the owner of '" + shown + "'", fd.number(), uid, gid);
  }

  /** Sets permission, set-id and sticky bits. */
  public void chmod(int mode) throws KernelException {
    FCHMOD.call("set the mode of '" + shown + "'", fd.number(), mode);
  }

  /** Sets both times, to the nanosecond where the file system can. */
  public void setTimes(Instant accessed, Instant modified) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      FUTIMENS.call(
          "set the times of '" + shown + "'",
          fd.number(),
          TimePair.allocate(arena, accessed, modified));
    }
  }

  /** Waits until content and size are on the disk. */
  public void sync() throws KernelException {
    FSYNC.callThroughSignals("write '" + shown + "' to the disk", fd.number());
  }

  @Override
  public void close() {
    fd.close();
  }

  @Override
  public String toString() {
    return shown;
  }
}
