package dev.caisson.oci.registry;

/**
 * How far a pull or push is.
 *
 * @param subject digest of a blob, or the name of the image
 * @param phase what is being done with it
 * @param done bytes so far
 * @param total bytes in all; 0 where that is not known
 */
public record Transfer(String subject, Phase phase, long done, long total) {

  /** Phases of a transfer, in order. */
  public enum Phase {
    /** The registry is asked what the name means. */
    RESOLVING,
    /** Others come first. */
    WAITING,
    /** Its bytes come in. */
    DOWNLOADING,
    /** All bytes are there and are made safe. */
    VERIFYING,
    /** Its files are written. */
    UNPACKING,
    /** Its bytes go out. */
    UPLOADING,
    /** It was there already. */
    EXISTS,
    /** Nothing is left to do. */
    DONE
  }

  /** Hears of transfers and of what goes less than well; from any thread, and must not block. */
  public interface Listener {
    /** Something has changed; at most ten times a second for each subject and phase. */
    void changed(Transfer transfer);

    /** Worth telling at once: a pause before another try, a login that cannot be read. */
    void notice(String text);
  }
}
