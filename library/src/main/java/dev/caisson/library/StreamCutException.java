package dev.caisson.library;

import java.io.IOException;

/** A stream of output is over for its reader, though not for the process. */
public final class StreamCutException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Cause why;

  /** Why it is over. */
  public enum Cause {
    /** Nobody reads the pipe that the output went straight into. */
    READER_GONE,
    /**
     * The reader attached after the start, and the daemon was replaced by another one since; what
     * comes from now on is had by attaching again, what came in between is in the log.
     */
    DAEMON_REPLACED,
    /** The reader attached after the start and did not read for long. */
    TOO_SLOW
  }

  /** One with a sentence for a person. */
  public StreamCutException(Cause why, String message) {
    super(message);
    this.why = why;
  }

  /** Why it is over. */
  public Cause why() {
    return why;
  }
}
