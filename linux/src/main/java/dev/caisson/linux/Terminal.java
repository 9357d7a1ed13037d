package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;

/** Terminals: their size and modes. Source: ioctl_tty(2), termios(3). */
public final class Terminal {
  private static final Syscall IOCTL =
      Syscall.variadic("ioctl", 2, JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS);
  private static final Syscall TCGETATTR = Syscall.of("tcgetattr", JAVA_INT, JAVA_INT, ADDRESS);
  private static final Syscall TCSETATTR =
      Syscall.of("tcsetattr", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS);
  private static final Syscall CFMAKERAW = Syscall.of("cfmakeraw", JAVA_INT, ADDRESS);
  private static final Syscall ISATTY = Syscall.of("isatty", JAVA_INT, JAVA_INT);
  private static final long TIOCGWINSZ = 0x5413;
  private static final long TIOCSWINSZ = 0x5414;
  private static final int TCSADRAIN = 1;
  private static final int SIZE_OF_SIZE = 8;
  private static final int SIZE_OF_MODES = 64;

  private Terminal() {}

  /** Size in characters. */
  public record Size(int columns, int rows) {}

  /** The modes of a terminal, to be put back. */
  public record Modes(byte[] termios) {}

  /** Whether a descriptor is a terminal. */
  public static boolean is(int fd) {
    return ISATTY.attempt(fd) == 1;
  }

  /** Its size. */
  public static Size size(int fd) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      var size = arena.allocate(SIZE_OF_SIZE, 2);
      IOCTL.call("read the size of terminal " + fd, fd, TIOCGWINSZ, size);
      return new Size(size.get(JAVA_SHORT, 2) & 0xffff, size.get(JAVA_SHORT, 0) & 0xffff);
    }
  }

  /** Sets its size; the foreground processes get SIGWINCH when it changes. */
  public static void resize(int fd, Size to) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      var size = arena.allocate(SIZE_OF_SIZE, 2);
      size.set(JAVA_SHORT, 0, (short) to.rows());
      size.set(JAVA_SHORT, 2, (short) to.columns());
      IOCTL.call("resize terminal " + fd, fd, TIOCSWINSZ, size);
    }
  }

  /** Passes every key on as it is; returns the modes to put back. */
  public static Modes makeRaw(int fd) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      var modes = arena.allocate(SIZE_OF_MODES, 8);
      TCGETATTR.call("read the modes of terminal " + fd, fd, modes);
      var before = new Modes(modes.toArray(JAVA_BYTE));
      CFMAKERAW.result(modes);
      TCSETATTR.callThroughSignals("make terminal " + fd + " raw", fd, TCSADRAIN, modes);
      return before;
    }
  }

  /** Puts modes back. */
  public static void restore(int fd, Modes modes) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      TCSETATTR.callThroughSignals(
          "restore terminal " + fd, fd, TCSADRAIN, arena.allocateFrom(JAVA_BYTE, modes.termios()));
    }
  }
}
