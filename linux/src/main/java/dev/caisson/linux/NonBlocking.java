package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * Reading and writing of descriptors that are set to answer instead of blocking; see {@link
 * Pipe#nonBlocking}.
 */
public final class NonBlocking {
  private static final Syscall READ = Syscall.of("read", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
  private static final Syscall WRITE = Syscall.of("write", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);

  /** The answer when nothing can be done now. */
  public static final long WOULD_BLOCK = -1;

  private NonBlocking() {}

  /** Reads what is there: number of bytes, 0 at the end, or {@link #WOULD_BLOCK}. */
  public static long read(Fd from, MemorySegment buffer) throws KernelException {
    return answer(READ, READ.attempt(from.number(), buffer, buffer.byteSize()), from);
  }

  /** Writes what there is room for: number of bytes, or {@link #WOULD_BLOCK}. */
  public static long write(Fd to, MemorySegment bytes) throws KernelException {
    return answer(WRITE, WRITE.attempt(to.number(), bytes, bytes.byteSize()), to);
  }

  private static long answer(Syscall call, long result, Fd fd) throws KernelException {
    if (result >= 0) {
      return result;
    }
    if (result == -Errno.EAGAIN.number() || result == -Errno.EINTR.number()) {
      return WOULD_BLOCK;
    }
    throw new KernelException(call.name() + " " + fd, call.name(), (int) -result);
  }
}
