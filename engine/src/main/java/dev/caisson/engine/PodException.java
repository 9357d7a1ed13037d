package dev.caisson.engine;

import java.util.Objects;

/** A failed call on a pod: what was tried on which id, what was found, what to do. */
public final class PodException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Reason reason;
  private final String tried;
  private final String found;
  private final String advice;

  /**
   * Makes a failure.
   *
   * @param tried what was being done, to which id
   * @param found what stood in the way
   * @param advice what to do; empty when there is nothing to say
   */
  public PodException(Reason reason, String tried, String found, String advice) {
    super(tried + ": " + found + (advice.isEmpty() ? "" : " (" + advice + ")"));
    this.reason = Objects.requireNonNull(reason);
    this.tried = tried;
    this.found = found;
    this.advice = advice;
  }

  /** Like the other constructor, with the failure below it. */
  public PodException(Reason reason, String tried, String found, String advice, Throwable cause) {
    this(reason, tried, found, advice);
    initCause(cause);
  }

  /** The kind. */
  public Reason reason() {
    return reason;
  }

  /** What was being done, to which id. */
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
