package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Reaping of every child there is, for a process that does nothing else with children. Waiting
 * first leaves the child in place, so that its start time can still be read. One thread's work.
 * Source: waitid(2).
 */
public final class Reaping implements AutoCloseable {
  private static final Syscall WAITID =
      Syscall.of("waitid", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
  private static final Syscall WAITPID =
      Syscall.of("waitpid", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
  private static final int P_ALL = 0;
  private static final int WEXITED_NOWAIT = 0x01000004;
  private static final int INFO = 128;
  private static final int PID_AT = 16;

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment info = arena.allocate(INFO, 8);
  private final MemorySegment status = arena.allocate(JAVA_INT);

  /** Makes the buffers; to be used on this thread only. */
  public Reaping() {}

  /**
   * Waits until a child has ended and answers with its pid; the child stays a zombie.
   *
   * @throws KernelException ECHILD when there are no children
   */
  public int next() throws KernelException {
    WAITID.callThroughSignals("wait for a child", P_ALL, 0, info, WEXITED_NOWAIT);
    return info.get(JAVA_INT, PID_AT);
  }

  /** Reaps it and answers with the kernel's wait status. */
  public int reap(int pid) throws KernelException {
    WAITPID.callThroughSignals("reap process " + pid, pid, status, 0);
    return status.get(JAVA_INT, 0);
  }

  @Override
  public void close() {
    arena.close();
  }
}
