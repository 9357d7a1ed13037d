package dev.caisson.library;

/**
 * How far one blob of a pull or push is.
 *
 * @param blob its digest, or the name of the image; with {@code NOTICE} what is to be told
 * @param phase what is being done with it
 * @param done bytes so far
 * @param total bytes in all; 0 when unknown
 */
public record TransferProgress(String blob, Phase phase, long done, long total) {

  /** Phases of a transfer, in order. */
  public enum Phase {
    RESOLVING,
    WAITING,
    DOWNLOADING,
    VERIFYING,
    UNPACKING,
    UPLOADING,
    EXISTS,
    DONE,
    /** Not a phase: something worth telling at once, such as a pause before another try. */
    NOTICE
  }
}
