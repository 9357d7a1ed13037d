package dev.caisson.library;

import java.util.List;
import java.util.Optional;

/**
 * What a container may use. An empty field sets no limit (or, in an update, leaves it as it is).
 *
 * @param memory bytes of memory, at least 6 MiB
 * @param memorySwap bytes of memory and swap together, {@code -1} for unlimited swap; needs {@code
 *     memory}
 * @param memoryReservation bytes below which it is spared when memory runs short
 * @param cpus processors, in billionths: 1,500,000,000 is one and a half
 * @param cpuShares weight against others, 2 to 262,144, 1024 usual
 * @param cpuPeriod CFS period in microseconds, 1,000 to 1,000,000; not together with {@code cpus}
 * @param cpuQuota CFS quota in microseconds, at least 1,000; {@code -1} for none; not together with
 *     {@code cpus}
 * @param cpusetCpus processors it may run on, {@code 0-2,4}
 * @param cpusetMems memory nodes it may use
 * @param pids number of processes and threads; {@code -1} for none
 * @param ioWeight weight of its block I/O, 10 to 1000
 * @param deviceRates bounds of reading and writing by device
 */
public record Limits(
    Optional<Long> memory,
    Optional<Long> memorySwap,
    Optional<Long> memoryReservation,
    Optional<Long> cpus,
    Optional<Long> cpuShares,
    Optional<Long> cpuPeriod,
    Optional<Long> cpuQuota,
    Optional<String> cpusetCpus,
    Optional<String> cpusetMems,
    Optional<Long> pids,
    Optional<Integer> ioWeight,
    List<DeviceRate> deviceRates) {

  /** No limits. */
  public static final Limits NONE =
      new Limits(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          List.of());

  /** Copies what could change under it. */
  public Limits {
    deviceRates = List.copyOf(deviceRates);
  }

  /** A bound on one block device: {@code rate} bytes or operations per second. */
  public record DeviceRate(String device, RateKind kind, long rate) {}

  /** What a {@link DeviceRate} bounds. */
  public enum RateKind {
    READ_BYTES,
    WRITE_BYTES,
    READ_OPERATIONS,
    WRITE_OPERATIONS
  }

  /** This with another {@code memory}. */
  public Limits withMemory(long memory) {
    return new Limits(
        Optional.of(memory),
        memorySwap,
        memoryReservation,
        cpus,
        cpuShares,
        cpuPeriod,
        cpuQuota,
        cpusetCpus,
        cpusetMems,
        pids,
        ioWeight,
        deviceRates);
  }

  /** This with another {@code memorySwap}. */
  public Limits withMemorySwap(long memorySwap) {
    return new Limits(
        memory,
        Optional.of(memorySwap),
        memoryReservation,
        cpus,
        cpuShares,
        cpuPeriod,
        cpuQuota,
        cpusetCpus,
        cpusetMems,
        pids,
        ioWeight,
        deviceRates);
  }

  /** This with another {@code memoryReservation}. */
  public Limits withMemoryReservation(long memoryReservation) {
    return new Limits(
        memory,
        memorySwap,
        Optional.of(memoryReservation),
        cpus,
        cpuShares,
        cpuPeriod,
        cpuQuota,
        cpusetCpus,
        cpusetMems,
        pids,
        ioWeight,
        deviceRates);
  }

  /** This with another {@code cpus}. */
  public Limits withCpus(long cpus) {
    return new Limits(
        memory,
        memorySwap,
        memoryReservation,
        Optional.of(cpus),
        cpuShares,
        cpuPeriod,
        cpuQuota,
        cpusetCpus,
        cpusetMems,
        pids,
        ioWeight,
        deviceRates);
  }

  /** This with another {@code cpuShares}. */
  public Limits withCpuShares(long cpuShares) {
    return new Limits(
        memory,
        memorySwap,
        memoryReservation,
        cpus,
        Optional.of(cpuShares),
        cpuPeriod,
        cpuQuota,
        cpusetCpus,
        cpusetMems,
        pids,
        ioWeight,
        deviceRates);
  }

  /** This with another {@code cpuPeriod}. */
  public Limits withCpuPeriod(long cpuPeriod) {
    return new Limits(
        memory,
        memorySwap,
        memoryReservation,
        cpus,
        cpuShares,
        Optional.of(cpuPeriod),
        cpuQuota,
        cpusetCpus,
        cpusetMems,
        pids,
        ioWeight,
        deviceRates);
  }

  /** This with another {@code cpuQuota}. */
  public Limits withCpuQuota(long cpuQuota) {
    return new Limits(
        memory,
        memorySwap,
        memoryReservation,
        cpus,
        cpuShares,
        cpuPeriod,
        Optional.of(cpuQuota),
        cpusetCpus,
        cpusetMems,
        pids,
        ioWeight,
        deviceRates);
  }

  /** This with another {@code cpusetCpus}. */
  public Limits withCpusetCpus(String cpusetCpus) {
    return new Limits(
        memory,
        memorySwap,
        memoryReservation,
        cpus,
        cpuShares,
        cpuPeriod,
        cpuQuota,
        Optional.of(cpusetCpus),
        cpusetMems,
        pids,
        ioWeight,
        deviceRates);
  }

  /** This with another {@code cpusetMems}. */
  public Limits withCpusetMems(String cpusetMems) {
    return new Limits(
        memory,
        memorySwap,
        memoryReservation,
        cpus,
        cpuShares,
        cpuPeriod,
        cpuQuota,
        cpusetCpus,
        Optional.of(cpusetMems),
        pids,
        ioWeight,
        deviceRates);
  }

  /** This with another {@code pids}. */
  public Limits withPids(long pids) {
    return new Limits(
        memory,
        memorySwap,
        memoryReservation,
        cpus,
        cpuShares,
        cpuPeriod,
        cpuQuota,
        cpusetCpus,
        cpusetMems,
        Optional.of(pids),
        ioWeight,
        deviceRates);
  }

  /** This with another {@code ioWeight}. */
  public Limits withIoWeight(int ioWeight) {
    return new Limits(
        memory,
        memorySwap,
        memoryReservation,
        cpus,
        cpuShares,
        cpuPeriod,
        cpuQuota,
        cpusetCpus,
        cpusetMems,
        pids,
        Optional.of(ioWeight),
        deviceRates);
  }

  /** This with another {@code deviceRates}. */
  public Limits withDeviceRates(List<DeviceRate> deviceRates) {
    return new Limits(
        memory,
        memorySwap,
        memoryReservation,
        cpus,
        cpuShares,
        cpuPeriod,
        cpuQuota,
        cpusetCpus,
        cpusetMems,
        pids,
        ioWeight,
        deviceRates);
  }
}
