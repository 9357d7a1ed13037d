package dev.caisson.daemon;

import dev.caisson.library.Limits;

/** Limits after a change: what the change does not name stays. */
final class LimitChange {
  private LimitChange() {}

  static Limits apply(Limits before, Limits change) {
    return new Limits(
        change.memory().or(before::memory),
        change.memorySwap().or(before::memorySwap),
        change.memoryReservation().or(before::memoryReservation),
        change.cpus().or(before::cpus),
        change.cpuShares().or(before::cpuShares),
        change.cpuPeriod().or(before::cpuPeriod),
        change.cpuQuota().or(before::cpuQuota),
        change.cpusetCpus().or(before::cpusetCpus),
        change.cpusetMems().or(before::cpusetMems),
        change.pids().or(before::pids),
        change.ioWeight().or(before::ioWeight),
        change.deviceRates().isEmpty() ? before.deviceRates() : change.deviceRates());
  }

  /** The change with what its own values refer to: memory and swap together needs memory. */
  static Limits complete(Limits before, Limits change) {
    return change.memorySwap().isPresent() && change.memory().isEmpty()
        ? before.memory().map(change::withMemory).orElse(change)
        : change;
  }
}
