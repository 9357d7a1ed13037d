package dev.caisson.daemon.container;

import dev.caisson.library.CaissonException;
import dev.caisson.library.Reason;

/** Settings that cannot work, found before anything was done. */
final class Refusal {
  private Refusal() {}

  static CaissonException of(String option, String found, String advice) {
    return new CaissonException(Reason.INVALID, "use " + option, found, advice);
  }
}
