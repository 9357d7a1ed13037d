package dev.caisson.linux;

import java.io.IOException;

/**
 * A call of the kernel's that failed: what was tried, which call refused, and its error number.
 *
 * <p>The message has the form {@code unmount '/run/x': umount2 failed, EBUSY (busy)}.
 */
public final class KernelException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String call;
  private final int number;

  /**
   * Describes a failed call.
   *
   * @param action what was being done, with its argument quoted
   * @param call name of the system call or library function
   * @param number the positive error number
   */
  public KernelException(String action, String call, int number) {
    super(action + ": " + call + " failed, " + describe(number));
    this.call = call;
    this.number = number;
  }

  private static String describe(int number) {
    Errno errno = Errno.of(number);
    return errno == Errno.UNKNOWN ? "errno " + number : errno + " (" + errno.text() + ")";
  }

  /** The call that failed. */
  public String call() {
    return call;
  }

  /** The error; {@link Errno#UNKNOWN} if its number is not in the table. */
  public Errno errno() {
    return Errno.of(number);
  }

  /** The error's number as the kernel gave it, positive. */
  public int number() {
    return number;
  }
}
