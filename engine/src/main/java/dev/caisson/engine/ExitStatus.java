package dev.caisson.engine;

import dev.caisson.json.Inline;

/**
 * How a process ended: its exit code, or 128 + n when signal n ended it.
 *
 * @param code 0 to 255; {@link #UNKNOWN} when nobody could find out
 */
@Inline
public record ExitStatus(int code) {
  /** Before the end, or when the status was lost; also containerd's value. */
  public static final ExitStatus UNKNOWN = new ExitStatus(255);

  /** Of a process that was ended before it ever ran. */
  public static final ExitStatus NEVER_RAN = new ExitStatus(1);

  /** Of a process that was deleted before it ever ran. */
  public static final ExitStatus DELETED = new ExitStatus(0);

  private static final int SIGNAL_MASK = 0x7f;
  private static final int CODE_SHIFT = 8;
  private static final int CODE_MASK = 0xff;
  private static final int SIGNALLED = 128;

  /** Checks the range. */
  public ExitStatus {
    if (code < 0 || code > CODE_MASK) {
      throw new IllegalArgumentException("exit status " + code + ": must be 0 to 255");
    }
  }

  /** Reads the kernel's encoding, wait(2) {@code wstatus}. */
  public static ExitStatus ofWaitStatus(int status) {
    var signal = status & SIGNAL_MASK;
    return new ExitStatus(
        signal == 0 ? status >> CODE_SHIFT & CODE_MASK : Math.min(SIGNALLED + signal, CODE_MASK));
  }
}
