package dev.caisson.oci;

/** A failed call on images: what was tried, what was found, what to do. */
public final class ImageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Kind kind;
  private final String tried;
  private final String found;
  private final String advice;

  /** Kinds of failures. */
  public enum Kind {
    /** There is no such image or content. */
    NOT_FOUND,
    /** The name, archive or content is not what it should be. */
    INVALID,
    /** It is in use. */
    IN_USE,
    /** Something needed is not there now: a registry, space on disk. */
    UNAVAILABLE,
    /** The registry wants other credentials. */
    DENIED,
    /** An unexpected failure of the machine. */
    INTERNAL
  }

  /** Makes a failure; {@code advice} may be empty. */
  public ImageException(Kind kind, String tried, String found, String advice) {
    super(tried + ": " + found + (advice.isEmpty() ? "" : " (" + advice + ")"));
    this.kind = kind;
    this.tried = tried;
    this.found = found;
    this.advice = advice;
  }

  /** Like the other constructor, with the failure below it. */
  public ImageException(Kind kind, String tried, String found, String advice, Throwable cause) {
    this(kind, tried, found, advice);
    initCause(cause);
  }

  /** The kind. */
  public Kind kind() {
    return kind;
  }

  /** What was being done. */
  public String tried() {
    return tried;
  }

  /** What stood in the way. */
  public String found() {
    return found;
  }

  /** What to do; may be empty. */
  public String advice() {
    return advice;
  }
}
