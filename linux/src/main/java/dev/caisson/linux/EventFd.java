package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;

/** Wakes a thread that waits in poll or epoll. Source: eventfd(2). */
public final class EventFd implements AutoCloseable {
  private static final Syscall EVENTFD = Syscall.of("eventfd", JAVA_INT, JAVA_INT, JAVA_INT);
  private static final int CLOEXEC_NONBLOCK = 0x80800;

  private final Fd fd;

  /** Makes one that is not signalled. */
  public EventFd() throws KernelException {
    fd = new Fd((int) EVENTFD.call("make an eventfd", 0, CLOEXEC_NONBLOCK));
  }

  /** The descriptor; readable while signalled. */
  public Fd fd() {
    return fd;
  }

  /** Signals it. */
  public void signal() throws KernelException {
    try (var arena = Arena.ofConfined()) {
      fd.write(arena.allocateFrom(JAVA_LONG, 1));
    }
  }

  /** Takes the signal back; harmless when there is none. */
  public void clear() throws KernelException {
    try (var arena = Arena.ofConfined()) {
      fd.read(arena.allocate(JAVA_LONG));
    } catch (KernelException e) {
      if (e.errno() != Errno.EAGAIN) {
        throw e;
      }
    }
  }

  @Override
  public void close() {
    fd.close();
  }
}
