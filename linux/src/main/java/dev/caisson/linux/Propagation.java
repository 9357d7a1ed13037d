package dev.caisson.linux;

/** Where mounts and unmounts below a mount are seen. Source: mount_namespaces(7). */
public enum Propagation {
  /** In all copies, both ways. */
  SHARED(1 << 20),
  /** Nowhere else, and nothing comes in. */
  PRIVATE(1 << 18),
  /** Nowhere else, but those of the original come in. */
  SLAVE(1 << 19),
  /** Private, and cannot be bound elsewhere. */
  UNBINDABLE(1 << 17);

  private final long bit;

  Propagation(long bit) {
    this.bit = bit;
  }

  long bit() {
    return bit;
  }
}
