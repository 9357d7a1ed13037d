package dev.caisson.engine.spec;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Checks {@code linux.resources}. Source: runtime specification, config-linux.md, Control groups.
 */
final class ResourceCheck {
  private static final String AT = "linux.resources";
  private static final List<String> RULE_TYPES = List.of("a", "b", "c");
  private static final Pattern ACCESS = Pattern.compile("[rwm]{1,3}");
  private static final Pattern PAGE_SIZE = Pattern.compile("[1-9]\\d*[KMGT]?B");
  private static final long LEAST_SHARES = 2;
  private static final long MOST_SHARES = 262_144;
  private static final long LEAST_MICROS = 1_000;
  private static final long MOST_PERIOD = 1_000_000;
  private static final long LEAST_WEIGHT = 10;
  private static final long MOST_WEIGHT = 1_000;
  private static final long LARGEST_MAJOR = (1L << 32) - 1;

  private ResourceCheck() {}

  static void check(Resources resources, Findings findings) {
    devices(resources.devices(), findings);
    resources.memory().ifPresent(memory -> memory(memory, findings));
    resources.cpu().ifPresent(cpu -> cpu(cpu, findings));
    resources.pids().ifPresent(pids -> pids(pids, findings));
    resources.blockIo().ifPresent(io -> blockIo(io, findings));
    hugePages(resources.hugepageLimits(), findings);
    resources.network().ifPresent(network -> network(network, findings));
    resources.rdma().forEach((device, rdma) -> rdma(AT + ".rdma." + device, rdma, findings));
    resources.unified().keySet().forEach(name -> unified(name, findings));
  }

  private static void devices(List<Resources.DeviceRule> rules, Findings findings) {
    for (int i = 0; i < rules.size(); i++) {
      var rule = rules.get(i);
      var path = AT + ".devices[" + i + "]";
      if (rule.allow().isEmpty()) {
        findings.error(path + ".allow", "missing, wanted true or false");
      }
      rule.type()
          .filter(type -> !type.isEmpty())
          .ifPresent(type -> findings.oneOf(path + ".type", type, RULE_TYPES));
      // -1 was written for all before the fields could be left out.
      findings.within(path + ".major", rule.major(), -1, LARGEST_MAJOR);
      findings.within(path + ".minor", rule.minor(), -1, LARGEST_MAJOR);
      rule.access()
          .filter(access -> !access.isEmpty() && !ACCESS.matcher(access).matches())
          .ifPresent(access -> findings.wrong(path + ".access", access, "letters of rwm"));
    }
  }

  private static void memory(Resources.Memory memory, Findings findings) {
    var path = AT + ".memory";
    bytes(path + ".limit", memory.limit(), findings);
    bytes(path + ".reservation", memory.reservation(), findings);
    bytes(path + ".swap", memory.swap(), findings);
    bytes(path + ".kernel", memory.kernel(), findings);
    bytes(path + ".kernelTCP", memory.kernelTcp(), findings);
    findings.within(path + ".swappiness", memory.swappiness(), 0, 100);
    long limit = memory.limit().orElse(0L);
    long swap = memory.swap().orElse(0L);
    if (swap > 0 && limit == 0) {
      findings.wrong(path + ".swap", swap, "memory.limit beside it");
    } else if (swap > 0 && (limit < 0 || swap < limit)) {
      findings.wrong(
          path + ".swap", swap, "at least memory.limit " + limit + ": memory and swap together");
    }
    long reservation = memory.reservation().orElse(0L);
    if (limit > 0 && reservation > limit) {
      findings.wrong(path + ".reservation", reservation, "at most memory.limit " + limit);
    }
  }

  private static void bytes(String path, Optional<Long> value, Findings findings) {
    value
        .filter(bytes -> bytes < -1)
        .ifPresent(bytes -> findings.wrong(path, bytes, "bytes, or -1 for unlimited"));
  }

  private static void cpu(Resources.Cpu cpu, Findings findings) {
    var path = AT + ".cpu";
    long shares = cpu.shares().orElse(0L);
    if (shares != 0 && (shares < LEAST_SHARES || shares > MOST_SHARES)) {
      findings.error(
          path + ".shares",
          "found " + Long.toUnsignedString(shares) + ", wanted 2 to 262144, or 0 for not set");
    }
    long quota = cpu.quota().orElse(0L);
    if (quota > 0 && quota < LEAST_MICROS) {
      findings.wrong(path + ".quota", quota, "at least 1000, or -1 for unlimited, 0 for not set");
    }
    period(path + ".period", cpu.period(), LEAST_MICROS, findings);
    period(path + ".realtimePeriod", cpu.realtimePeriod(), 1, findings);
    long burst = cpu.burst().orElse(0L);
    if (burst != 0 && (quota <= 0 || Long.compareUnsigned(burst, quota) > 0)) {
      findings.error(
          path + ".burst",
          "found " + Long.toUnsignedString(burst) + ", wanted at most cpu.quota " + quota);
    }
    long realtime = cpu.realtimeRuntime().orElse(0L);
    if (cpu.realtimePeriod().isPresent()
        && realtime > 0
        && Long.compareUnsigned(realtime, cpu.realtimePeriod().get()) > 0) {
      findings.wrong(path + ".realtimeRuntime", realtime, "at most cpu.realtimePeriod");
    }
    findings.numbers(path + ".cpus", cpu.cpus());
    findings.numbers(path + ".mems", cpu.mems());
    findings.within(path + ".idle", cpu.idle(), 0, 1);
    if (cpu.idle().orElse(0L) == 1 && shares != 0) {
      findings.wrong(path + ".idle", 1, "no cpu.shares beside it: an idle group has no weight");
    }
  }

  private static void period(String path, Optional<Long> value, long least, Findings findings) {
    long period = value.orElse(0L);
    if (period != 0 && (period < least || period > MOST_PERIOD)) {
      findings.error(
          path,
          "found "
              + Long.toUnsignedString(period)
              + ", wanted "
              + least
              + " to "
              + MOST_PERIOD
              + ", or 0 for not set");
    }
  }

  private static void pids(Resources.Pids pids, Findings findings) {
    var path = AT + ".pids.limit";
    if (pids.limit().isEmpty()) {
      findings.error(path, "missing, wanted a number of processes, or -1 for unlimited");
    }
    pids.limit()
        .filter(limit -> limit < -1)
        .ifPresent(limit -> findings.wrong(path, limit, "processes, or -1 for unlimited"));
    if (pids.limit().filter(limit -> limit == 0).isPresent()) {
      findings.warning(path, "0 sets no limit");
    }
  }

  private static void blockIo(Resources.BlockIo io, Findings findings) {
    var path = AT + ".blockIO";
    weight(path + ".weight", io.weight(), findings);
    weight(path + ".leafWeight", io.leafWeight(), findings);
    for (int i = 0; i < io.weightDevice().size(); i++) {
      var device = io.weightDevice().get(i);
      var here = path + ".weightDevice[" + i + "]";
      numbers(here, device.major(), device.minor(), findings);
      weight(here + ".weight", device.weight(), findings);
      weight(here + ".leafWeight", device.leafWeight(), findings);
      if (device.weight().isEmpty() && device.leafWeight().isEmpty()) {
        findings.error(here + ".weight", "missing, wanted weight or leafWeight or both");
      }
    }
    throttles(path + ".throttleReadBpsDevice", io.throttleReadBps(), findings);
    throttles(path + ".throttleWriteBpsDevice", io.throttleWriteBps(), findings);
    throttles(path + ".throttleReadIOPSDevice", io.throttleReadIops(), findings);
    throttles(path + ".throttleWriteIOPSDevice", io.throttleWriteIops(), findings);
  }

  private static void weight(String path, Optional<Integer> weight, Findings findings) {
    weight
        .filter(value -> value != 0 && (value < LEAST_WEIGHT || value > MOST_WEIGHT))
        .ifPresent(value -> findings.wrong(path, value, "10 to 1000, or 0 for not set"));
  }

  private static void throttles(
      String path, List<Resources.ThrottleDevice> devices, Findings findings) {
    for (int i = 0; i < devices.size(); i++) {
      var here = path + "[" + i + "]";
      numbers(here, devices.get(i).major(), devices.get(i).minor(), findings);
      findings.required(here + ".rate", devices.get(i).rate());
    }
  }

  private static void numbers(
      String path, Optional<Long> major, Optional<Long> minor, Findings findings) {
    findings.required(path + ".major", major, 0, LARGEST_MAJOR);
    findings.required(path + ".minor", minor, 0, LARGEST_MAJOR);
  }

  private static void hugePages(List<Resources.HugepageLimit> limits, Findings findings) {
    var seen = new HashSet<String>();
    for (int i = 0; i < limits.size(); i++) {
      var limit = limits.get(i);
      var path = AT + ".hugepageLimits[" + i + "]";
      if (findings.given(path + ".pageSize", limit.pageSize(), "a size such as 2MB")) {
        if (!PAGE_SIZE.matcher(limit.pageSize()).matches()) {
          findings.wrong(path + ".pageSize", limit.pageSize(), "a size such as 2MB");
        } else if (!seen.add(limit.pageSize())) {
          findings.error(
              path + ".pageSize", "found '" + limit.pageSize() + "' twice, wanted one entry");
        }
      }
      findings.required(path + ".limit", limit.limit());
    }
  }

  private static void network(Resources.NetworkClass network, Findings findings) {
    var path = AT + ".network";
    findings.within(path + ".classID", network.classId(), 0, Findings.LARGEST_32_BITS);
    for (int i = 0; i < network.priorities().size(); i++) {
      var priority = network.priorities().get(i);
      var here = path + ".priorities[" + i + "]";
      findings.given(here + ".name", priority.name(), "the name of an interface");
      findings.required(here + ".priority", priority.priority(), 0, Findings.LARGEST_32_BITS);
    }
  }

  private static void rdma(String path, Resources.Rdma rdma, Findings findings) {
    if (rdma.hcaHandles().isEmpty() && rdma.hcaObjects().isEmpty()) {
      findings.error(path, "says nothing, wanted hcaHandles or hcaObjects or both");
    }
    findings.within(path + ".hcaHandles", rdma.hcaHandles(), 0, Findings.LARGEST_32_BITS);
    findings.within(path + ".hcaObjects", rdma.hcaObjects(), 0, Findings.LARGEST_32_BITS);
  }

  /** The name becomes a path below the cgroup. */
  private static void unified(String name, Findings findings) {
    if (name.contains("/") || name.indexOf('.') < 1) {
      findings.error(
          AT + ".unified", "found '" + name + "', wanted files of a cgroup such as memory.high");
    }
  }
}
