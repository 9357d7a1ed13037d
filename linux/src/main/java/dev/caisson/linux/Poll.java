package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;

/** Waiting for a few descriptors. Source: poll(2). */
public final class Poll {
  private static final Syscall POLL = Syscall.of("poll", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
  private static final int ENTRY = 8;
  private static final int EVENTS_AT = 4;
  private static final int HAPPENED_AT = 6;

  /** Something can be read, or the end is near. */
  public static final short IN = 1;

  /** Something can be written. */
  public static final short OUT = 4;

  private Poll() {}

  /**
   * Waits until something can be read from a descriptor, or its other end is closed.
   *
   * @param millis longest wait; negative for ever
   */
  public static boolean readable(Fd fd, int millis) throws KernelException {
    return wait(IN, millis, fd)[0] != 0;
  }

  /**
   * Waits until one of the events happens on one of the descriptors. A platform thread's work,
   * since it blocks.
   *
   * @param events {@link #IN}, {@link #OUT} or both; errors and hang-ups are always waited for
   * @param millis longest wait; negative for ever
   * @return what happened, for each descriptor; all 0 when the time was up
   */
  public static short[] wait(short events, int millis, Fd... fds) throws KernelException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Math.max(0, millis));
    try (var arena = Arena.ofConfined()) {
      var entries = arena.allocate((long) ENTRY * fds.length, 4);
      for (int i = 0; i < fds.length; i++) {
        entries.set(JAVA_INT, (long) i * ENTRY, fds[i].number());
        entries.set(JAVA_SHORT, (long) i * ENTRY + EVENTS_AT, events);
      }
      int left = millis;
      for (; ; ) {
        long result = POLL.attempt(entries, (long) fds.length, left);
        if (result >= 0) {
          break;
        }
        if (result != -Errno.EINTR.number()) {
          throw new KernelException("wait for descriptors", POLL.name(), (int) -result);
        }
        if (millis > 0) {
          left = (int) Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
        }
      }
      var happened = new short[fds.length];
      for (int i = 0; i < fds.length; i++) {
        happened[i] = entries.get(JAVA_SHORT, (long) i * ENTRY + HAPPENED_AT);
      }
      return happened;
    }
  }
}
