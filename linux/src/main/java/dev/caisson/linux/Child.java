package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.OptionalInt;

/** A process started by us, which we must reap. Source: waitpid(2). */
public final class Child {
  private static final Syscall WAITPID =
      Syscall.of("waitpid", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);

  private final int pid;

  Child(int pid) {
    this.pid = pid;
  }

  /** Its pid; ours to use until {@link #await} has returned. */
  public int pid() {
    return pid;
  }

  /** Waits for its end and reaps it. A platform thread's work. Returns the kernel's wait status. */
  public int await() throws KernelException {
    try (var arena = Arena.ofConfined()) {
      var status = arena.allocate(JAVA_INT);
      WAITPID.callThroughSignals("wait for process " + pid, pid, status, 0);
      return status.get(JAVA_INT, 0);
    }
  }

  /** Waits for its end within a time, and reaps it then; empty when it goes on. */
  public OptionalInt await(Duration limit) throws KernelException {
    var pidfd = Pidfd.open(pid);
    if (pidfd.isEmpty()) {
      return OptionalInt.of(await());
    }
    try (var open = pidfd.get()) {
      return open.awaitEnd((int) Math.min(Integer.MAX_VALUE, limit.toMillis()))
          ? OptionalInt.of(await())
          : OptionalInt.empty();
    }
  }

  /** Sends it a signal; nothing happens when it has ended. */
  public void kill(Signal signal) throws KernelException {
    Kill.process(pid, signal);
  }
}
