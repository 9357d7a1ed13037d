package dev.caisson.linux;

import java.util.Optional;

/**
 * A process that cannot be taken for another: pids come back, but not with the same start time.
 *
 * @param pid its number
 * @param startTime when it started, in clock ticks since boot; field 22 of proc_pid_stat(5)
 */
public record ProcessIdentity(int pid, long startTime) {

  /** The process that has this pid now, also when it has ended and was not reaped. */
  public static Optional<ProcessIdentity> of(int pid) {
    return ProcessStatus.read(pid).map(s -> new ProcessIdentity(pid, s.startTime()));
  }

  /** Whether this process is there and has not ended. */
  public boolean isAlive() {
    return ProcessStatus.read(pid)
        .filter(s -> s.startTime() == startTime)
        .filter(s -> !s.hasEnded())
        .isPresent();
  }
}
