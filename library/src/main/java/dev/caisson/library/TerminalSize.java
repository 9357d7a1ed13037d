package dev.caisson.library;

/** Size of a terminal in characters; zero in either field means unknown. */
public record TerminalSize(int columns, int rows) {

  /** Checks that both fit the kernel's 16 bits (ioctl_tty(2) TIOCSWINSZ). */
  public TerminalSize {
    if (columns < 0 || columns > 65_535 || rows < 0 || rows > 65_535) {
      throw new IllegalArgumentException(
          "terminal size " + columns + "x" + rows + ": each must be 0 to 65535");
    }
  }
}
