package dev.caisson.library;

/**
 * How a container's output is kept: in the Kubernetes log format, rotated.
 *
 * @param kept false keeps nothing (output goes to attached callers only)
 * @param maxBytes size of one file at which it is rotated, at least 4096
 * @param maxFiles files kept, the one written included, at least 1
 */
public record LogKeeping(boolean kept, long maxBytes, int maxFiles) {

  /** Five files of 10 MiB. */
  public static final LogKeeping USUAL = new LogKeeping(true, 10 << 20, 5);

  /** Keeps nothing. */
  public static final LogKeeping NOTHING = new LogKeeping(false, 10 << 20, 1);

  /** Checks the ranges. */
  public LogKeeping {
    if (maxBytes < 4096) {
      throw new IllegalArgumentException("log size " + maxBytes + ": at least 4096 bytes");
    }
    if (maxFiles < 1) {
      throw new IllegalArgumentException("log files " + maxFiles + ": at least 1");
    }
  }
}
