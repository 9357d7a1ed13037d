package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A pipe. Both ends are close-on-exec. Source: pipe(2), pipe(7).
 *
 * @param readEnd where bytes come out
 * @param writeEnd where bytes go in
 */
public record Pipe(Fd readEnd, Fd writeEnd) implements AutoCloseable {
  private static final Syscall PIPE2 = Syscall.of("pipe2", JAVA_INT, ADDRESS, JAVA_INT);
  private static final Syscall FCNTL =
      Syscall.variadic("fcntl", 2, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
  private static final Syscall FIONREAD =
      Syscall.variadic("ioctl", 2, JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS);
  private static final Syscall OPEN = Syscall.variadic("open", 2, JAVA_INT, ADDRESS, JAVA_INT);
  private static final int O_WRONLY = 1;
  private static final int O_CLOEXEC = 0x80000;
  private static final int F_GETFL = 3;
  private static final int F_SETFL = 4;
  private static final int O_NONBLOCK = 0x800;
  private static final int F_SETPIPE_SZ = 1031;
  private static final int F_GETPIPE_SZ = 1032;
  private static final long FIONREAD_REQUEST = 0x541B;

  /** Makes a pipe whose ends block. */
  public static Pipe open() throws KernelException {
    try (var arena = Arena.ofConfined()) {
      var ends = arena.allocate(JAVA_INT, 2);
      PIPE2.call("make a pipe", ends, O_CLOEXEC);
      return new Pipe(new Fd(ends.getAtIndex(JAVA_INT, 0)), new Fd(ends.getAtIndex(JAVA_INT, 1)));
    }
  }

  /**
   * A writing end of the pipe that another process has under a descriptor: an open file of our own,
   * which does not block. Empty when there is no such process, or when what it has there is no pipe
   * without a name. Source: proc_pid_fd(5).
   */
  public static Optional<Fd> writerOf(int pid, int descriptor) throws KernelException {
    var link = Path.of("/proc/" + pid + "/fd/" + descriptor);
    try (var arena = Arena.ofConfined()) {
      // Looked at before it is opened, since to open a device may do something.
      if (!Files.readSymbolicLink(link).toString().startsWith("pipe:")) {
        return Optional.empty();
      }
      var fd =
          new Fd(
              (int)
                  OPEN.call(
                      "open '" + link + "'",
                      arena.allocateFrom(link.toString()),
                      O_WRONLY | O_NONBLOCK | O_CLOEXEC));
      if (FileStatus.of(fd, link.toString()).kind() == FileKind.FIFO) {
        return Optional.of(fd);
      }
      fd.close();
      return Optional.empty();
    } catch (KernelException e) {
      throw e;
    } catch (IOException gone) {
      return Optional.empty();
    }
  }

  /** Bytes waiting in a pipe or socket. Source: ioctl(2) FIONREAD. */
  public static int waiting(Fd end) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      var count = arena.allocate(JAVA_INT);
      FIONREAD.call("count bytes in " + end, end.number(), FIONREAD_REQUEST, count);
      return count.get(JAVA_INT, 0);
    }
  }

  /** Room of a pipe in bytes. */
  public static int room(Fd end) throws KernelException {
    return (int) FCNTL.call("read size of pipe " + end, end.number(), F_GETPIPE_SZ, 0);
  }

  /**
   * Asks for room in bytes; the kernel rounds up, and refuses what the user may not have (EPERM).
   */
  public static void resize(Fd end, int bytes) throws KernelException {
    FCNTL.call("resize pipe " + end, end.number(), F_SETPIPE_SZ, bytes);
  }

  /**
   * Makes reads and writes of this open file answer EAGAIN instead of blocking, for all who share
   * it.
   */
  public static void nonBlocking(Fd end) throws KernelException {
    int flags = (int) FCNTL.call("read flags of " + end, end.number(), F_GETFL, 0);
    FCNTL.call("set flags of " + end, end.number(), F_SETFL, flags | O_NONBLOCK);
  }

  @Override
  public void close() {
    readEnd.close();
    writeEnd.close();
  }
}
