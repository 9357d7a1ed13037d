package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

/** Settings of the own process. Source: prctl(2), setsid(2). */
public final class Prctl {
  private static final Syscall PRCTL =
      Syscall.variadic("prctl", 1, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final Syscall SETSID = Syscall.of("setsid", JAVA_INT);
  private static final int SET_CHILD_SUBREAPER = 36;

  private Prctl() {}

  /** Descendants whose parent ends become our children. */
  public static void becomeSubreaper() throws KernelException {
    PRCTL.call("become subreaper", SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
  }

  /**
   * Leaves the session and terminal of whoever started us; nothing changes when we lead a group
   * already.
   */
  public static void leaveSession() {
    SETSID.attempt();
  }
}
