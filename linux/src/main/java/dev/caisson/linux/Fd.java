package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An open file descriptor and the duty to close it.
 *
 * <p>Closing twice is harmless. A thread must not use the number while another closes it: the
 * kernel gives numbers out again at once.
 */
public final class Fd implements AutoCloseable {
  private static final int CLOSED = -1;
  private static final int F_DUPFD_CLOEXEC = 1030;

  private static final Syscall CLOSE = Syscall.of("close", JAVA_INT, JAVA_INT);
  private static final Syscall FCNTL =
      Syscall.variadic("fcntl", 2, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
  private static final Syscall READ = Syscall.of("read", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
  private static final Syscall WRITE = Syscall.of("write", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);

  private final AtomicInteger number;

  /**
   * Takes over a descriptor.
   *
   * @throws IllegalArgumentException if {@code number} is negative
   */
  public Fd(int number) {
    if (number < 0) {
      throw new IllegalArgumentException("descriptor " + number + ": must not be negative");
    }
    this.number = new AtomicInteger(number);
  }

  /**
   * The descriptor's number.
   *
   * @throws IllegalStateException if it was closed or released
   */
  public int number() {
    int current = number.get();
    if (current == CLOSED) {
      throw new IllegalStateException("descriptor was closed");
    }
    return current;
  }

  /** Whether it is still owned and open. */
  public boolean isOpen() {
    return number.get() != CLOSED;
  }

  /**
   * Gives up the duty to close: returns the number, and this object counts as closed.
   *
   * @throws IllegalStateException if it was closed or released
   */
  public int release() {
    int current = number.getAndSet(CLOSED);
    if (current == CLOSED) {
      throw new IllegalStateException("descriptor was closed");
    }
    return current;
  }

  /**
   * Another descriptor, close-on-exec, of the same open file. Source: fcntl(2), F_DUPFD_CLOEXEC.
   */
  public Fd duplicate() throws KernelException {
    int source = number();
    return new Fd((int) FCNTL.call("duplicate descriptor " + source, source, F_DUPFD_CLOEXEC, 0));
  }

  /**
   * Reads up to the buffer's size. Calls again after EINTR.
   *
   * @return number of bytes, 0 at the end
   * @throws KernelException EAGAIN if it is non-blocking and nothing is there
   */
  public long read(MemorySegment buffer) throws KernelException {
    int source = number();
    return READ.callThroughSignals("read descriptor " + source, source, buffer, buffer.byteSize());
  }

  /**
   * Writes the whole buffer, in as many calls as it takes.
   *
   * @throws KernelException as write(2); part of the buffer may have been written
   */
  public void write(MemorySegment buffer) throws KernelException {
    int target = number();
    long done = 0;
    while (done < buffer.byteSize()) {
      MemorySegment rest = buffer.asSlice(done);
      done += WRITE.callThroughSignals("write descriptor " + target, target, rest, rest.byteSize());
    }
  }

  /**
   * Closes the descriptor; does nothing if that was done before. An error of close(2) is not
   * reported: after it the descriptor is gone all the same, and whoever needs to know that data
   * reached the disk has called fsync.
   */
  @Override
  public void close() {
    int current = number.getAndSet(CLOSED);
    if (current != CLOSED) {
      CLOSE.attempt(current);
    }
  }

  @Override
  public String toString() {
    int current = number.get();
    return current == CLOSED ? "fd closed" : "fd " + current;
  }
}
