package dev.caisson.library;

/** How a client comes to its daemon. */
enum DaemonStart {
  /** Use the one that listens, or start one that stays. */
  ON_DEMAND,
  /** Start one that ends with this client. */
  PRIVATE
}
