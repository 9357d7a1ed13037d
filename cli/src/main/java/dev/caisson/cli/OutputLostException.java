package dev.caisson.cli;

import java.io.IOException;

/** Nobody reads what we write any more, or it cannot be written (a full disk). */
final class OutputLostException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  OutputLostException(IOException cause) {
    super(String.valueOf(cause.getMessage()), cause);
  }

  /** The one of a reader that went away. */
  static OutputLostException ofReader() {
    return new OutputLostException(new IOException("Broken pipe"));
  }

  /** The reader at the other end of a pipe or socket went away (EPIPE, write(2)). */
  boolean readerGone() {
    return String.valueOf(getMessage()).contains("Broken pipe");
  }
}
