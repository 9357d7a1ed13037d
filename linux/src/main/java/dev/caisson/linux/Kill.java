package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

/**
 * Signals by pid, for processes whose pid cannot have been given away: own children and just listed
 * ones.
 */
public final class Kill {
  private static final Syscall KILL = Syscall.of("kill", JAVA_INT, JAVA_INT, JAVA_INT);

  private Kill() {}

  /**
   * Sends a signal to a process. Source: kill(2).
   *
   * @return false when there is no such process
   */
  public static boolean process(int pid, Signal signal) throws KernelException {
    long result = KILL.attempt(pid, signal.number());
    if (result == -Errno.ESRCH.number()) {
      return false;
    }
    if (result < 0) {
      throw new KernelException("send " + signal + " to process " + pid, "kill", (int) -result);
    }
    return true;
  }
}
