package dev.caisson.library.protocol;

import dev.caisson.library.CaissonException;
import dev.caisson.library.Reason;

/** A {@link CaissonException} on the wire. */
public record Failure(Reason reason, String tried, String found, String advice) {

  /** The failure as it goes out. */
  public static Failure of(CaissonException e) {
    return new Failure(e.reason(), e.tried(), e.found(), e.advice());
  }

  /** The failure as it came in. */
  public CaissonException exception() {
    return new CaissonException(reason, tried, found, advice);
  }
}
