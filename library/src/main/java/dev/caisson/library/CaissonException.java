package dev.caisson.library;

import java.util.Objects;

/**
 * A call that failed: what was tried and on what, what was found, what to do.
 *
 * <p>The message reads {@code tried: found (advice)}; the parts stay readable one by one for front
 * ends that lay them out themselves.
 */
public final class CaissonException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Reason reason;
  private final String tried;
  private final String found;
  private final String advice;

  /**
   * Makes a failure.
   *
   * @param reason the kind
   * @param tried what was being done, with the id it was done to: {@code start container 'web'}
   * @param found what stood in the way: {@code it is running already}
   * @param advice what the user can do; empty when there is nothing to say
   */
  public CaissonException(Reason reason, String tried, String found, String advice) {
    super(text(tried, found, advice));
    this.reason = Objects.requireNonNull(reason);
    this.tried = tried;
    this.found = found;
    this.advice = advice;
  }

  /** Like the other constructor, with the failure below it. */
  public CaissonException(
      Reason reason, String tried, String found, String advice, Throwable cause) {
    this(reason, tried, found, advice);
    initCause(cause);
  }

  private static String text(String tried, String found, String advice) {
    var start = tried.isEmpty() ? found : tried + ": " + found;
    return advice.isEmpty() ? start : start + " (" + advice + ")";
  }

  /** The kind of failure. */
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

  /** What to do next; empty when there is nothing to say. */
  public String advice() {
    return advice;
  }
}
