package dev.caisson.engine.process;

import dev.caisson.engine.spec.Resources;
import dev.caisson.linux.Cgroup;
import dev.caisson.linux.ControlFile;
import dev.caisson.linux.KernelException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Where the limits of a cgroup stand, in either version: what is set, and which files a change
 * writes in which order. In both versions {@code memory.swap} means memory and swap together.
 * Source: the kernel's cgroup-v1 and cgroup-v2 documents; runtime specification, config-linux.md.
 */
final class LimitFiles {
  static final long UNLIMITED = -1;

  /** The legacy tree tells a limit that is not set as the most whole pages there can be. */
  private static final long LEGACY_UNLIMITED = Long.MAX_VALUE / 4096 * 4096;

  private static final String AT = "linux.resources.";

  private final Cgroup group;

  LimitFiles(Cgroup group) {
    this.group = group;
  }

  /**
   * A step of a change.
   *
   * @param field what of the specification it serves
   * @param before what puts it back
   */
  record Write(String field, ControlFile file, String value, String before) {}

  /** A field this machine cannot change, and why. */
  static final class Missing extends IOException {
    private static final long serialVersionUID = 1L;

    Missing(String field, String why) {
      super(AT + field + ": " + why);
    }
  }

  // ---- what is set ----

  /** Bounds of memory that are set; -1 where there is none, empty where the machine has no such. */
  Resources.Memory memory() throws IOException {
    var memory = Resources.Memory.NONE;
    if (group.isLegacy("memory")) {
      memory = memory.withLimit(bytes("memory.limit_in_bytes").orElse(UNLIMITED));
      var swap = bytes("memory.memsw.limit_in_bytes");
      memory = swap.isPresent() ? memory.withSwap(swap.get()) : memory;
      var reservation = bytes("memory.soft_limit_in_bytes").filter(bytes -> bytes > 0);
      return reservation.isPresent() ? memory.withReservation(reservation.get()) : memory;
    }
    long limit = bytes("memory.max").orElse(UNLIMITED);
    memory = memory.withLimit(limit);
    var swap = bytes("memory.swap.max");
    if (swap.isPresent()) {
      memory = memory.withSwap(limit < 0 || swap.get() < 0 ? UNLIMITED : limit + swap.get());
    }
    var reservation = bytes("memory.low").filter(bytes -> bytes > 0);
    return reservation.isPresent() ? memory.withReservation(reservation.get()) : memory;
  }

  /** Bytes of memory in use. */
  long memoryInUse() throws IOException {
    return bytes(group.isLegacy("memory") ? "memory.usage_in_bytes" : "memory.current").orElse(0L);
  }

  /** Quota, period and burst that are set; -1 for no quota. */
  Resources.Cpu cpu() throws IOException {
    var cpu = Resources.Cpu.NONE;
    if (group.isLegacy("cpu")) {
      return cpu.withQuota(number(text("cpu", "cpu.cfs_quota_us")).orElse(UNLIMITED))
          .withPeriod(number(text("cpu", "cpu.cfs_period_us")).orElse(0L));
    }
    var words = text("cpu", "cpu.max").orElse("max 0").split(" ");
    return cpu.withQuota(number(Optional.of(words[0])).orElse(UNLIMITED))
        .withPeriod(number(Optional.of(words[1])).orElse(0L));
  }

  private long burst() throws IOException {
    return number(text("cpu", burstFile())).orElse(0L);
  }

  private String burstFile() {
    return group.isLegacy("cpu") ? "cpu.cfs_burst_us" : "cpu.max.burst";
  }

  private Optional<Long> bytes(String name) throws IOException {
    return text("memory", name)
        .map(text -> number(Optional.of(text)).orElse(UNLIMITED))
        .map(bytes -> bytes >= LEGACY_UNLIMITED ? UNLIMITED : bytes);
  }

  private Optional<String> text(String controller, String name) throws KernelException {
    var file = group.file(controller, name);
    return file.isPresent() ? file.get().find() : Optional.empty();
  }

  private static Optional<Long> number(Optional<String> text) {
    return text.filter(word -> !word.equals("max")).map(Long::parseLong);
  }

  // ---- what a change writes ----

  /**
   * The writes of a change, in an order in which each is valid.
   *
   * @throws Missing for something that this machine cannot change
   */
  List<Write> writes(Resources change) throws IOException {
    var writes = new ArrayList<Write>();
    if (change.memory().isPresent()) {
      addMemory(change.memory().get(), writes);
    }
    if (change.cpu().isPresent()) {
      addCpu(change.cpu().get(), writes);
    }
    var pids = change.pids().flatMap(Resources.Pids::limit).filter(limit -> limit != 0);
    if (pids.isPresent()) {
      writes.add(write("pids.limit", "pids", "pids.max", pids.get() < 0 ? "max" : "" + pids.get()));
    }
    if (change.blockIo().isPresent()) {
      addBlockIo(change.blockIo().get(), writes);
    }
    for (var entry : change.unified().entrySet()) {
      var controller = entry.getKey().substring(0, entry.getKey().indexOf('.'));
      if (group.isLegacy(controller)) {
        throw new Missing("unified", "'" + controller + "' is in a tree of cgroup v1 here");
      }
      writes.add(write("unified", controller, entry.getKey(), entry.getValue()));
    }
    return writes;
  }

  private void addMemory(Resources.Memory change, List<Write> writes) throws IOException {
    if (group.isLegacy("memory")) {
      addLegacyMemory(change, writes);
    } else {
      addUnifiedMemory(change, writes);
    }
    var reservation = change.reservation().filter(bytes -> bytes != 0);
    if (reservation.isPresent()) {
      writes.add(
          group.isLegacy("memory")
              ? write(
                  "memory.reservation",
                  "memory",
                  "memory.soft_limit_in_bytes",
                  "" + reservation.get())
              : write("memory.reservation", "memory", "memory.low", orMax(reservation.get())));
    }
    if (change.swappiness().isPresent()) {
      writes.add(
          write(
              "memory.swappiness", "memory", "memory.swappiness", "" + change.swappiness().get()));
    }
  }

  /** The kernel wants memory within memory and swap together after each write. */
  private void addLegacyMemory(Resources.Memory change, List<Write> writes) throws IOException {
    var limit = change.limit().filter(bytes -> bytes != 0);
    if (limit.isPresent()) {
      writes.add(write("memory.limit", "memory", "memory.limit_in_bytes", "" + limit.get()));
    }
    var swap = change.swap().filter(bytes -> bytes != 0);
    if (swap.isPresent()) {
      long before = memory().swap().orElse(UNLIMITED);
      boolean raised = before >= 0 && (swap.get() < 0 || swap.get() > before);
      writes.add(
          raised ? 0 : writes.size(),
          write("memory.swap", "memory", "memory.memsw.limit_in_bytes", "" + swap.get()));
    }
  }

  private void addUnifiedMemory(Resources.Memory change, List<Write> writes) throws IOException {
    var before = memory();
    long limit = change.limit().filter(bytes -> bytes != 0).or(before::limit).orElse(UNLIMITED);
    var swap = change.swap().filter(bytes -> bytes != 0);
    if (!before.limit().equals(Optional.of(limit))) {
      writes.add(write("memory.limit", "memory", "memory.max", orMax(limit)));
    }
    long together = swap.or(before::swap).orElse(UNLIMITED);
    if (swap.isPresent() || together >= 0) {
      writes.add(
          write(
              "memory.swap",
              "memory",
              "memory.swap.max",
              orMax(together < 0 ? UNLIMITED : together - limit)));
    }
  }

  private static String orMax(long bytes) {
    return bytes < 0 ? "max" : Long.toString(bytes);
  }

  private void addCpu(Resources.Cpu change, List<Write> writes) throws IOException {
    var shares = change.shares().filter(value -> value != 0);
    if (shares.isPresent()) {
      writes.add(
          group.isLegacy("cpu")
              ? write("cpu.shares", "cpu", "cpu.shares", "" + shares.get())
              : write("cpu.shares", "cpu", "cpu.weight", "" + weightOfShares(shares.get())));
    }
    addQuota(change, writes);
    if (change.idle().isPresent()) {
      writes.add(write("cpu.idle", "cpu", "cpu.idle", "" + change.idle().get()));
    }
    if (change.realtimePeriod().isPresent()) {
      writes.add(
          write(
              "cpu.realtimePeriod", "cpu", "cpu.rt_period_us", "" + change.realtimePeriod().get()));
    }
    if (change.realtimeRuntime().isPresent()) {
      writes.add(
          write(
              "cpu.realtimeRuntime",
              "cpu",
              "cpu.rt_runtime_us",
              "" + change.realtimeRuntime().get()));
    }
    if (change.cpus().isPresent()) {
      writes.add(write("cpu.cpus", "cpuset", "cpuset.cpus", change.cpus().get()));
    }
    if (change.mems().isPresent()) {
      writes.add(write("cpu.mems", "cpuset", "cpuset.mems", change.mems().get()));
    }
  }

  private void addQuota(Resources.Cpu change, List<Write> writes) throws IOException {
    var quota = change.quota().filter(value -> value != 0);
    var period = change.period().filter(value -> value != 0);
    int first = writes.size();
    if (group.isLegacy("cpu")) {
      if (period.isPresent()) {
        writes.add(write("cpu.period", "cpu", "cpu.cfs_period_us", "" + period.get()));
      }
      if (quota.isPresent()) {
        writes.add(write("cpu.quota", "cpu", "cpu.cfs_quota_us", "" + quota.get()));
      }
    } else if (quota.isPresent() || period.isPresent()) {
      var before = cpu();
      long newQuota = quota.or(before::quota).orElse(UNLIMITED);
      long newPeriod = period.or(before::period).orElse(0L);
      writes.add(
          write(
              quota.isPresent() ? "cpu.quota" : "cpu.period",
              "cpu",
              "cpu.max",
              orMax(newQuota) + " " + newPeriod));
    }
    if (change.burst().isPresent()) {
      // The kernel wants it within the quota after each write.
      boolean raised = change.burst().get() > burst();
      writes.add(
          raised ? writes.size() : first,
          write("cpu.burst", "cpu", burstFile(), "" + change.burst().get()));
    }
  }

  /** As runtimes have it: 2 to 262144 becomes 1 to 10000. */
  private static long weightOfShares(long shares) {
    return 1 + (shares - 2) * 9999 / 262142;
  }

  private void addBlockIo(Resources.BlockIo change, List<Write> writes) throws IOException {
    var weight = change.weight().filter(value -> value != 0);
    if (weight.isPresent()) {
      writes.add(weight(weight.get()));
    }
    throttle("throttleReadBpsDevice", "read_bps", "rbps", change.throttleReadBps(), writes);
    throttle("throttleWriteBpsDevice", "write_bps", "wbps", change.throttleWriteBps(), writes);
    throttle("throttleReadIOPSDevice", "read_iops", "riops", change.throttleReadIops(), writes);
    throttle("throttleWriteIOPSDevice", "write_iops", "wiops", change.throttleWriteIops(), writes);
  }

  /** Which file there is depends on the scheduler of disks. */
  private Write weight(int weight) throws IOException {
    if (group.isLegacy("blkio")) {
      var usual = text("blkio", "blkio.weight").isPresent();
      return write(
          "blockIO.weight", "blkio", usual ? "blkio.weight" : "blkio.bfq.weight", "" + weight);
    }
    return text("io", "io.bfq.weight").isPresent()
        ? write("blockIO.weight", "io", "io.bfq.weight", "" + weight)
        : write("blockIO.weight", "io", "io.weight", "" + (1 + (weight - 10) * 9999 / 990));
  }

  private void throttle(
      String field,
      String legacy,
      String key,
      List<Resources.ThrottleDevice> devices,
      List<Write> writes)
      throws IOException {
    for (var device : devices) {
      var name = device.major().orElse(0L) + ":" + device.minor().orElse(0L);
      long rate = device.rate().orElse(0L);
      if (group.isLegacy("blkio")) {
        var file = "blkio.throttle." + legacy + "_device";
        var write = write("blockIO." + field, "blkio", file, name + " " + rate);
        var before = lineOf(name, write.before());
        writes.add(withBefore(write, name + " " + (before.isEmpty() ? "0" : before)));
      } else {
        var write =
            write(
                "blockIO." + field,
                "io",
                "io.max",
                name + " " + key + "=" + (rate == 0 ? "max" : "" + rate));
        var before = valueOf(key, lineOf(name, write.before()));
        writes.add(withBefore(write, name + " " + key + "=" + before));
      }
    }
  }

  private static Write withBefore(Write write, String before) {
    return new Write(write.field(), write.file(), write.value(), before);
  }

  /** What follows a device's number in its line. */
  private static String lineOf(String device, String text) {
    return text.lines()
        .filter(line -> line.startsWith(device + " "))
        .map(line -> line.substring(device.length() + 1))
        .findFirst()
        .orElse("");
  }

  private static String valueOf(String key, String line) {
    for (var word : line.split(" ")) {
      if (word.startsWith(key + "=")) {
        return word.substring(key.length() + 1);
      }
    }
    return "max";
  }

  private Write write(String field, String controller, String name, String value)
      throws IOException {
    var file = group.file(controller, name);
    var before = file.isPresent() ? file.get().find() : Optional.<String>empty();
    if (before.isEmpty()) {
      throw new Missing(
          field,
          "controller '" + controller + "' of this machine has no '" + name + "' for this task");
    }
    // An empty list is written as an empty line: without any byte nothing is written.
    return new Write(field, file.get(), value, before.get().isEmpty() ? "\n" : before.get());
  }
}
