package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A descriptor of a process: means that process and no later one of the same pid. Readable in
 * poll(2) once it has ended. Source: pidfd_open(2).
 */
public final class Pidfd implements AutoCloseable {
  private static final Syscall OPEN = Syscall.numbered("pidfd_open", 434, JAVA_INT, JAVA_INT);
  private static final Syscall SEND =
      Syscall.numbered("pidfd_send_signal", 424, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
  private static final Syscall IOCTL =
      Syscall.variadic("ioctl", 2, JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS);

  /**
   * {@code _IOWR(0xFF, 11, struct pidfd_info)} with the structure's first published size, 64 bytes.
   */
  private static final long PIDFD_GET_INFO = 0xC040FF0BL;

  private static final long INFO_EXIT = 1L << 3;
  private static final int INFO_SIZE = 64;
  private static final int EXIT_CODE_AT = 60;

  private final Fd fd;
  private final int pid;

  private Pidfd(Fd fd, int pid) {
    this.fd = fd;
    this.pid = pid;
  }

  /**
   * Opens it for the process that has this pid now; empty when there is none, or when the number is
   * now that of a thread.
   *
   * @throws KernelException EMFILE, ENFILE or ENOMEM; the process may well be there
   */
  public static Optional<Pidfd> open(int pid) throws KernelException {
    long number = OPEN.attempt(pid, 0);
    if (number >= 0) {
      return Optional.of(new Pidfd(new Fd((int) number), pid));
    }
    return switch (Errno.of((int) -number)) {
      case ESRCH, EINVAL, ENOENT -> Optional.empty();
      default -> throw new KernelException("open process " + pid, OPEN.name(), (int) -number);
    };
  }

  /**
   * Opens it for exactly this process; empty when it is gone and reaped.
   *
   * @throws KernelException as {@link #open(int)}
   */
  public static Optional<Pidfd> open(ProcessIdentity process) throws KernelException {
    var opened = open(process.pid());
    // Checked after opening: from here on the descriptor cannot mean another process.
    if (opened.isPresent() && !ProcessIdentity.of(process.pid()).equals(Optional.of(process))) {
      opened.get().close();
      return Optional.empty();
    }
    return opened;
  }

  /** One that was opened by another process and handed over, of the process with that pid. */
  public static Pidfd of(Fd fd, int pid) {
    return new Pidfd(fd, pid);
  }

  /** The descriptor, for poll and epoll. */
  public Fd fd() {
    return fd;
  }

  /**
   * Sends a signal.
   *
   * @return false when the process is gone
   */
  public boolean send(Signal signal) throws KernelException {
    long result = SEND.attempt(fd.number(), signal.number(), MemorySegment.NULL, 0);
    if (result == -Errno.ESRCH.number()) {
      return false;
    }
    if (result < 0) {
      throw new KernelException(
          "send " + signal + " to process " + pid, SEND.name(), (int) -result);
    }
    return true;
  }

  /**
   * Waits for the end.
   *
   * @param millis longest wait; negative for ever
   * @return whether it has ended
   */
  public boolean awaitEnd(int millis) throws KernelException {
    return Poll.readable(fd, millis);
  }

  /**
   * Waits until it is reaped, for one that has ended; {@link #waitStatus} tells nothing before.
   *
   * @param millis longest wait
   */
  public void awaitReaping(int millis) throws KernelException {
    Poll.wait((short) 0, millis, fd);
  }

  /**
   * Its wait status, for a process that ended and was reaped while this was open. Empty where the
   * kernel does not tell (before 6.15).
   */
  public OptionalInt waitStatus() {
    try (var arena = Arena.ofConfined()) {
      var info = arena.allocate(INFO_SIZE, 8);
      info.set(JAVA_LONG, 0, INFO_EXIT);
      if (IOCTL.attempt(fd.number(), PIDFD_GET_INFO, info) < 0
          || (info.get(JAVA_LONG, 0) & INFO_EXIT) == 0) {
        return OptionalInt.empty();
      }
      return OptionalInt.of(info.get(JAVA_INT, EXIT_CODE_AT));
    }
  }

  @Override
  public void close() {
    fd.close();
  }
}
