package dev.caisson.library;

/**
 * Which streams to connect.
 *
 * @param stdin send to the container's standard input
 * @param stdout receive standard output (of a terminal: everything)
 * @param stderr receive standard error
 */
public record AttachSettings(boolean stdin, boolean stdout, boolean stderr) {

  /** Output only. */
  public static final AttachSettings OUTPUT = new AttachSettings(false, true, true);

  /** All three streams. */
  public static final AttachSettings ALL = new AttachSettings(true, true, true);
}
