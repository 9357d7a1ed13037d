package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;

/** The device that swallows everything and gives nothing. Source: null(4). */
public final class DevNull {
  private static final Syscall OPEN =
      Syscall.variadic("open", 2, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
  private static final int O_RDWR_CLOEXEC = 0x80002;

  private DevNull() {}

  /** Opens it for reading and writing. */
  public static Fd open() throws KernelException {
    try (var arena = Arena.ofConfined()) {
      return new Fd(
          (int) OPEN.call("open '/dev/null'", arena.allocateFrom("/dev/null"), O_RDWR_CLOEXEC, 0));
    }
  }
}
