package dev.caisson.engine.streams;

/** How a client and the output it was connected to parted. */
public enum Parting {
  /** All was handed over, or the client went away. */
  DONE,
  /** Nobody reads the client's own pipe any more. */
  READER_GONE,
  /** It attached later, did not read for long, and was cut off. */
  TOO_SLOW
}
