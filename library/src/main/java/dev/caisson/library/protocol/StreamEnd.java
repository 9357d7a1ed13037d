package dev.caisson.library.protocol;

/**
 * How a stream of output ended.
 *
 * @param how why it is over
 */
public record StreamEnd(How how) {

  /** The ways a stream ends. */
  public enum How {
    /** All that the process wrote was handed over. */
    WHOLE,
    /** Nobody reads the client's own pipe any more. */
    READER_GONE,
    /** The client, which came later, did not read for long. */
    TOO_SLOW
  }
}
