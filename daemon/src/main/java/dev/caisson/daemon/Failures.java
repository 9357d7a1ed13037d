package dev.caisson.daemon;

import dev.caisson.engine.PodException;
import dev.caisson.library.CaissonException;
import dev.caisson.library.Reason;
import dev.caisson.oci.ImageException;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns failures of the parts below into those of the library, once, at the edge. */
final class Failures {
  private static final Pattern TASK = Pattern.compile("task '([0-9a-f]{64})'");

  private final UnaryOperator<String> nameOfId;

  /**
   * Makes a translator.
   *
   * @param nameOfId the name a user knows a container by
   */
  Failures(UnaryOperator<String> nameOfId) {
    this.nameOfId = nameOfId;
  }

  CaissonException translate(RuntimeException failure) {
    return switch (failure) {
      case CaissonException e -> e;
      case PodException e -> translate(e, inUsersWords(e.tried()));
      case ImageException e -> NodeImages.translate(e);
      case IllegalArgumentException e ->
          new CaissonException(Reason.INVALID, "", String.valueOf(e.getMessage()), "", e);
      default ->
          new CaissonException(
              Reason.INTERNAL,
              "",
              "an unexpected failure: " + failure,
              "this is a defect; the daemon's log has more",
              failure);
    };
  }

  /** The engine's failure, told as one of what the user wanted. */
  static CaissonException translate(PodException e, String tried) {
    return new CaissonException(reason(e.reason()), tried, e.found(), e.advice(), e);
  }

  /** The engine's task is the user's container. */
  private String inUsersWords(String tried) {
    return TASK.matcher(tried)
        .replaceAll(found ->
            Matcher.quoteReplacement("container '" + nameOfId.apply(found.group(1)) + "'"));
  }

  private static Reason reason(dev.caisson.engine.Reason reason) {
    return switch (reason) {
      case NOT_FOUND -> Reason.NOT_FOUND;
      case ALREADY_EXISTS -> Reason.ALREADY_EXISTS;
      case INVALID, UNSUPPORTED -> Reason.INVALID;
      case WRONG_STATE -> Reason.WRONG_STATE;
      case PROGRAM_NOT_FOUND -> Reason.PROGRAM_NOT_FOUND;
      case PROGRAM_NOT_EXECUTABLE -> Reason.PROGRAM_NOT_EXECUTABLE;
      case UNAVAILABLE -> Reason.UNAVAILABLE;
      case INTERNAL -> Reason.INTERNAL;
    };
  }
}
