package dev.caisson.daemon.container;

import dev.caisson.library.Limits;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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
  private static final long MOST_SHARES = 262_144;
  private static final Pattern CPU_LIST = Pattern.compile("\\d+(-\\d+)?(,\\d+(-\\d+)?)*");

  private ResourceSection() {}

  /** The section; empty parts are left out. */
  public static Map<String, Object> of(Limits limits) {
    var section = new LinkedHashMap<String, Object>();
    put(section, "memory", memory(limits));
    put(section, "cpu", cpu(limits));
    limits.pids().ifPresent(pids -> section.put("pids", Map.of("limit", pids <= 0 ? -1L : pids)));
    put(section, "blockIO", io(limits));
    return section;
  }

  private static void put(Map<String, Object> section, String name, Map<String, Object> part) {
    if (!part.isEmpty()) {
      section.put(name, part);
    }
  }

  private static Map<String, Object> memory(Limits limits) {
    var memory = new LinkedHashMap<String, Object>();
    limits
        .memory()
        .ifPresent(bytes -> {
          if (bytes < LEAST_MEMORY) {
            throw Refusal.of("--memory " + bytes, "too little for any container", "at least 6 MiB");
          }
          memory.put("limit", bytes);
        });
    limits.memorySwap().ifPresent(swap -> memory.put("swap", checkedSwap(limits.memory(), swap)));
    limits
        .memoryReservation()
        .ifPresent(bytes -> {
          if (bytes < 0 || limits.memory().isPresent() && bytes > limits.memory().get()) {
            throw Refusal.of(
                "--memory-reservation " + bytes, "not within the memory limit", "give less");
          }
          memory.put("reservation", bytes);
        });
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

  private static Map<String, Object> cpu(Limits limits) {
    var cpu = new LinkedHashMap<String, Object>();
    if (limits.cpus().isPresent()
        && (limits.cpuQuota().isPresent() || limits.cpuPeriod().isPresent())) {
      throw Refusal.of(
          "--cpus", "given together with --cpu-quota or --cpu-period", "give one or the other");
    }
    limits
        .cpus()
        .ifPresent(nanos -> {
          if (nanos <= 0) {
            throw Refusal.of("--cpus", "not above 0", "give a number such as 1.5");
          }
          long quota = Math.max(LEAST_QUOTA, nanos / (NANOS_PER_CPU / PERIOD_MICROS));
          cpu.put("quota", quota);
          cpu.put("period", PERIOD_MICROS);
        });
    limits
        .cpuShares()
        .filter(shares -> shares != 0)
        .ifPresent(shares -> {
          if (shares < 0 || shares > MOST_SHARES) {
            throw Refusal.of(
                "--cpu-shares " + shares,
                "linux.resources.cpu.shares is out of range",
                "give 2 to 262144");
          }
          cpu.put("shares", Math.max(2, shares));
        });
    limits
        .cpuQuota()
        .ifPresent(quota -> {
          if (quota != -1 && quota < LEAST_QUOTA) {
            throw Refusal.of("--cpu-quota " + quota, "too small", "at least 1000, or -1");
          }
          cpu.put("quota", quota);
        });
    limits
        .cpuPeriod()
        .ifPresent(period -> {
          if (period < 1_000 || period > 1_000_000) {
            throw Refusal.of("--cpu-period " + period, "out of range", "give 1000 to 1000000");
          }
          cpu.put("period", period);
        });
    limits.cpusetCpus().ifPresent(list -> cpu.put("cpus", checkedList("--cpuset-cpus", list)));
    limits.cpusetMems().ifPresent(list -> cpu.put("mems", checkedList("--cpuset-mems", list)));
    return cpu;
  }

  private static String checkedList(String option, String list) {
    if (!CPU_LIST.matcher(list).matches()) {
      throw Refusal.of(option + " '" + list + "'", "no list of numbers", "give e.g. 0-2,4");
    }
    return list;
  }

  private static Map<String, Object> io(Limits limits) {
    var io = new LinkedHashMap<String, Object>();
    limits
        .ioWeight()
        .ifPresent(weight -> {
          if (weight < 10 || weight > 1000) {
            throw Refusal.of("--blkio-weight " + weight, "out of range", "give 10 to 1000");
          }
          io.put("weight", (long) weight);
        });
    for (var rate : limits.deviceRates()) {
      var field =
          switch (rate.kind()) {
            case READ_BYTES -> "throttleReadBpsDevice";
            case WRITE_BYTES -> "throttleWriteBpsDevice";
            case READ_OPERATIONS -> "throttleReadIOPSDevice";
            case WRITE_OPERATIONS -> "throttleWriteIOPSDevice";
          };
      var node = HostDevice.find(rate.device());
      if (!node.type().equals("b")) {
        throw Refusal.of("rate of '" + rate.device() + "'", "no block device", "name a disk");
      }
      @SuppressWarnings("unchecked")
      var list = (List<Object>) io.computeIfAbsent(field, _ -> new ArrayList<Object>());
      list.add(Map.of("major", node.major(), "minor", node.minor(), "rate", rate.rate()));
    }
    return io;
  }
}
