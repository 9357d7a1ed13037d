package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Waiting for many descriptors; allocates nothing per wait. Adding and removing may be done by any
 * thread, waiting by one at a time. Source: epoll(7).
 */
public final class Epoll implements AutoCloseable {
  private static final Syscall CREATE = Syscall.of("epoll_create1", JAVA_INT, JAVA_INT);
  private static final Syscall CONTROL =
      Syscall.of("epoll_ctl", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS);
  private static final Syscall WAIT =
      Syscall.of("epoll_wait", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
  private static final int CLOEXEC = 0x80000;
  private static final int ADD = 1;
  private static final int DELETE = 2;
  private static final int MODIFY = 3;

  /** struct epoll_event is packed on x86-64 and has 4 bytes of padding elsewhere. */
  private static final boolean PACKED = System.getProperty("os.arch").equals("amd64");

  private static final int DATA_AT = PACKED ? 4 : 8;
  private static final int EVENT = PACKED ? 12 : 16;
  private static final int BATCH = 64;

  /** Something can be read. */
  public static final int IN = 0x1;

  /** Something can be written. */
  public static final int OUT = 0x4;

  /** An error; always reported. */
  public static final int ERR = 0x8;

  /** The other end is gone; always reported. */
  public static final int HUP = 0x10;

  /** Report changes only, not states. */
  public static final int EDGE = 1 << 31;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment events = arena.allocate((long) EVENT * BATCH, 8);
  private final Fd fd;

  /** Makes an empty set. */
  public Epoll() throws KernelException {
    fd = new Fd((int) CREATE.call("make an epoll set", CLOEXEC));
  }

  /** Adds a descriptor; {@code key} comes back with its events. */
  public void add(Fd what, int interest, long key) throws KernelException {
    control(ADD, what, interest, key);
  }

  /** Changes what is waited for. */
  public void modify(Fd what, int interest, long key) throws KernelException {
    control(MODIFY, what, interest, key);
  }

  /** Removes a descriptor; do so before closing it, since a duplicate keeps it in the set. */
  public void remove(Fd what) throws KernelException {
    control(DELETE, what, 0, 0);
  }

  private void control(int operation, Fd what, int interest, long key) throws KernelException {
    try (var local = Arena.ofConfined()) {
      var event = local.allocate(EVENT, 8);
      event.set(JAVA_INT, 0, interest);
      event.set(JAVA_LONG_UNALIGNED, DATA_AT, key);
      CONTROL.call("watch " + what, fd.number(), operation, what.number(), event);
    }
  }

  /** Called for each event. */
  @FunctionalInterface
  public interface Handler {
    /** Handles the events that happened on the descriptor of that key. */
    void handle(long key, int happened);
  }

  /**
   * Waits for events and hands them over.
   *
   * @param millis longest wait; negative for ever
   * @return number of events; 0 when the time was up or a signal came
   */
  public int await(int millis, Handler handler) throws KernelException {
    long count = WAIT.attempt(fd.number(), events, BATCH, millis);
    if (count == -Errno.EINTR.number()) {
      return 0;
    }
    if (count < 0) {
      throw new KernelException("wait for events", WAIT.name(), (int) -count);
    }
    for (int i = 0; i < count; i++) {
      long at = (long) i * EVENT;
      handler.handle(
          events.get(JAVA_LONG_UNALIGNED, at + DATA_AT), events.get(JAVA_INT_UNALIGNED, at));
    }
    return (int) count;
  }

  @Override
  public void close() {
    fd.close();
    arena.close();
  }
}
