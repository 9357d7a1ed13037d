package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * Moving bytes between descriptors inside the kernel; one side is a pipe. Source: splice(2),
 * tee(2).
 */
public final class Splice {
  private static final Syscall SPLICE =
      Syscall.of("splice", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
  private static final Syscall TEE =
      Syscall.of("tee", JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT);
  private static final int MOVE_NONBLOCK = 3;

  /** The answer when nothing can be moved now. */
  public static final long WOULD_BLOCK = -1;

  private Splice() {}

  /**
   * Moves up to {@code most} bytes without blocking on pipes.
   *
   * @return bytes moved, 0 at the end of {@code from}, {@link #WOULD_BLOCK}
   * @throws KernelException EPIPE or ECONNRESET when nobody reads {@code to}; EIO from a terminal
   *     whose other side is closed
   */
  public static long move(Fd from, Fd to, long most) throws KernelException {
    return answer(
        SPLICE,
        SPLICE.attempt(
            from.number(),
            MemorySegment.NULL,
            to.number(),
            MemorySegment.NULL,
            most,
            MOVE_NONBLOCK),
        from,
        to);
  }

  /**
   * Copies up to {@code most} bytes from one pipe to another; they stay in the first. Answers as
   * {@link #move}.
   */
  public static long copy(Fd from, Fd to, long most) throws KernelException {
    return answer(TEE, TEE.attempt(from.number(), to.number(), most, MOVE_NONBLOCK), from, to);
  }

  private static long answer(Syscall call, long result, Fd from, Fd to) throws KernelException {
    if (result >= 0) {
      return result;
    }
    if (result == -Errno.EAGAIN.number() || result == -Errno.EINTR.number()) {
      return WOULD_BLOCK;
    }
    throw new KernelException("move bytes from " + from + " to " + to, call.name(), (int) -result);
  }
}
