package dev.caisson.daemon.container;

import dev.caisson.engine.spec.Resources;
import dev.caisson.library.Limits;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** From limits to the specification's {@code linux.resources}; refuses what contradicts itself. */
public final class ResourceSection {
  private static final long LEAST_MEMORY = 6 << 20;
  private static final long PERIOD_MICROS = 100_000;
  private static final long NANOS_PER_CPU = 1_000_000_000;
  private static final long LEAST_QUOTA = 1_000;
  private static final long LEAST_PERIOD = 1_000;
  private static final long MOST_PERIOD = 1_000_000;
  private static final long MOST_SHARES = 262_144;
  private static final Pattern CPU_LIST = Pattern.compile("\\d+(-\\d+)?(,\\d+(-\\d+)?)*");

  private ResourceSection() {}

  /** The section; empty parts are left out. */
  public static Resources of(Limits limits) {
    return new Resources(
        List.of(),
        Optional.of(memory(limits)).filter(part -> !part.equals(Resources.Memory.NONE)),
        Optional.of(cpu(limits)).filter(part -> !part.equals(Resources.Cpu.NONE)),
        limits
            .pids()
            .map(pids -> new Resources.Pids(Optional.of(pids <= 0 ? -1L : pids), Map.of())),
        Optional.of(io(limits)).filter(part -> !part.equals(Resources.BlockIo.NONE)),
        List.of(),
        Optional.empty(),
        Map.of(),
        Map.of(),
        Map.of());
  }

  private static Resources.Memory memory(Limits limits) {
    var memory = Resources.Memory.NONE;
    if (limits.memory().isPresent()) {
      long bytes = limits.memory().get();
      if (bytes < LEAST_MEMORY) {
        throw Refusal.of("--memory " + bytes, "too little for any container", "at least 6 MiB");
      }
      memory = memory.withLimit(bytes);
    }
    if (limits.memorySwap().isPresent()) {
      memory = memory.withSwap(checkedSwap(limits.memory(), limits.memorySwap().get()));
    }
    if (limits.memoryReservation().isPresent()) {
      long bytes = limits.memoryReservation().get();
      if (bytes < 0 || limits.memory().isPresent() && bytes > limits.memory().get()) {
        throw Refusal.of(
            "--memory-reservation " + bytes, "not within the memory limit", "give less");
      }
      memory = memory.withReservation(bytes);
    }
    return memory;
  }

  /** Docker's meaning: memory and swap together; -1 is no bound on swap. */
  private static long checkedSwap(Optional<Long> memory, long swap) {
    if (swap < -1) {
      throw Refusal.of("--memory-swap " + swap, "negative", "give bytes, or -1 for unlimited swap");
    }
    if (swap > 0 && memory.isEmpty()) {
      throw Refusal.of(
          "--memory-swap " + swap, "there is no memory limit", "give --memory as well");
    }
    if (swap >= 0 && memory.isPresent() && swap < memory.get()) {
      throw Refusal.of(
          "--memory-swap " + swap,
          "less than the memory limit " + memory.get(),
          "it is memory and swap together; the same value means no swap");
    }
    return swap;
  }

  private static Resources.Cpu cpu(Limits limits) {
    var cpu = Resources.Cpu.NONE;
    if (limits.cpus().isPresent()) {
      if (limits.cpuQuota().isPresent() || limits.cpuPeriod().isPresent()) {
        throw Refusal.of(
            "--cpus", "given together with --cpu-quota or --cpu-period", "give one or the other");
      }
      long nanos = limits.cpus().get();
      if (nanos <= 0) {
        throw Refusal.of("--cpus", "not above 0", "give a number such as 1.5");
      }
      long quota = Math.max(LEAST_QUOTA, nanos / (NANOS_PER_CPU / PERIOD_MICROS));
      cpu = cpu.withQuota(quota).withPeriod(PERIOD_MICROS);
    }
    long shares = limits.cpuShares().orElse(0L);
    if (shares < 0 || shares > MOST_SHARES) {
      throw Refusal.of(
          "--cpu-shares " + shares,
          "linux.resources.cpu.shares is out of range",
          "give 2 to 262144");
    } else if (shares > 0) {
      cpu = cpu.withShares(Math.max(2, shares));
    }
    if (limits.cpuQuota().isPresent()) {
      long quota = limits.cpuQuota().get();
      if (quota != -1 && quota < LEAST_QUOTA) {
        throw Refusal.of("--cpu-quota " + quota, "too small", "at least 1000, or -1");
      }
      cpu = cpu.withQuota(quota);
    }
    if (limits.cpuPeriod().isPresent()) {
      long period = limits.cpuPeriod().get();
      if (period < LEAST_PERIOD || period > MOST_PERIOD) {
        throw Refusal.of("--cpu-period " + period, "out of range", "give 1000 to 1000000");
      }
      cpu = cpu.withPeriod(period);
    }
    if (limits.cpusetCpus().isPresent()) {
      cpu = cpu.withCpus(checkedList("--cpuset-cpus", limits.cpusetCpus().get()));
    }
    if (limits.cpusetMems().isPresent()) {
      cpu = cpu.withMems(checkedList("--cpuset-mems", limits.cpusetMems().get()));
    }
    return cpu;
  }

  private static String checkedList(String option, String list) {
    if (!CPU_LIST.matcher(list).matches()) {
      throw Refusal.of(option + " '" + list + "'", "no list of numbers", "give e.g. 0-2,4");
    }
    return list;
  }

  private static Resources.BlockIo io(Limits limits) {
    limits
        .ioWeight()
        .filter(weight -> weight < 10 || weight > 1000)
        .ifPresent(weight -> {
          throw Refusal.of("--blkio-weight " + weight, "out of range", "give 10 to 1000");
        });
    return new Resources.BlockIo(
        limits.ioWeight(),
        Optional.empty(),
        List.of(),
        rates(limits, Limits.RateKind.READ_BYTES),
        rates(limits, Limits.RateKind.WRITE_BYTES),
        rates(limits, Limits.RateKind.READ_OPERATIONS),
        rates(limits, Limits.RateKind.WRITE_OPERATIONS),
        Map.of());
  }

  private static List<Resources.ThrottleDevice> rates(Limits limits, Limits.RateKind kind) {
    return limits.deviceRates().stream()
        .filter(rate -> rate.kind() == kind)
        .map(ResourceSection::throttle)
        .toList();
  }

  private static Resources.ThrottleDevice throttle(Limits.DeviceRate rate) {
    var node = HostDevice.find(rate.device());
    if (!node.type().equals("b")) {
      throw Refusal.of("rate of '" + rate.device() + "'", "no block device", "name a disk");
    }
    return new Resources.ThrottleDevice(
        Optional.of(node.major()), Optional.of(node.minor()), Optional.of(rate.rate()), Map.of());
  }
}
