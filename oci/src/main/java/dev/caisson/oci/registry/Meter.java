package dev.caisson.oci.registry;

/** Tells a listener about one blob, not too often. For one thread at a time. */
final class Meter {
  private static final long PERIOD_NANOS = 100_000_000;

  private final Transfer.Listener listener;
  private final String subject;
  private final long total;
  private long toldAt;

  Meter(Transfer.Listener listener, String subject, long total) {
    this.listener = listener;
    this.subject = subject;
    this.total = total;
  }

  /** A new phase, told at once. */
  void enter(Transfer.Phase phase, long done) {
    toldAt = System.nanoTime();
    listener.changed(new Transfer(subject, phase, done, total));
  }

  /** Further in the same phase. */
  void advance(Transfer.Phase phase, long done) {
    if (System.nanoTime() - toldAt > PERIOD_NANOS) {
      enter(phase, done);
    }
  }
}
