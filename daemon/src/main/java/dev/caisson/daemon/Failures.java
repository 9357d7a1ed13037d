package dev.caisson.daemon;

import dev.caisson.engine.PodException;
import dev.caisson.library.CaissonException;
import dev.caisson.library.Reason;
import dev.caisson.oci.ImageException;

/** Turns failures of the parts below into those of the library, once, at the edge. */
final class Failures {
  private Failures() {}

  static CaissonException translate(RuntimeException failure) {
    return switch (failure) {
      case CaissonException e -> e;
      case PodException e ->
          new CaissonException(reason(e.reason()), e.tried(), e.found(), e.advice(), e);
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
