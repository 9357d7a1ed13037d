package dev.caisson.cli;

/** The signals sent to this program. */
interface Signals {
  /**
   * Calls the receiver for a signal, in a thread of its own, instead of what is usual.
   *
   * @param name without SIG
   * @return false when this signal cannot be received here
   */
  boolean receive(String name, Receiver receiver);

  /** Gets signals. */
  interface Receiver {
    void received(String name);
  }
}
