package dev.caisson.cli;

import java.util.List;

/** The signals sent to this program. */
interface Signals {
  /**
   * Calls the receiver for signals, in a thread of its own, instead of what is usual. Those that
   * cannot be received here are left out.
   *
   * @param names without SIG
   */
  void receive(List<String> names, Receiver receiver);

  /** Gets signals. */
  interface Receiver {
    /** A signal came; {@code name} is without SIG. */
    void received(String name);
  }
}
