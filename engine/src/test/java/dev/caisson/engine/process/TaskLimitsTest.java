package dev.caisson.engine.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.caisson.engine.PodException;
import dev.caisson.engine.Reason;
import dev.caisson.engine.spec.Resources;
import dev.caisson.linux.Cgroup;
import dev.caisson.linux.CgroupHierarchy;
import dev.caisson.linux.CgroupMounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes of limits, in the cgroups of this machine and in files that look like cgroup v2. */
class TaskLimitsTest {
  private static final long MIB = 1 << 20;

  private static Resources memory(long limit, long together) {
    return Resources.NONE.withMemory(
        Resources.Memory.NONE.withLimit(limit * MIB).withSwap(together * MIB));
  }

  private static Resources memory(long limit) {
    return Resources.NONE.withMemory(Resources.Memory.NONE.withLimit(limit * MIB));
  }

  private static Resources together(long bytes) {
    return Resources.NONE.withMemory(Resources.Memory.NONE.withSwap(bytes));
  }

  private static Resources cpu(Resources.Cpu cpu) {
    return Resources.NONE.withCpu(cpu);
  }

  private static Resources.Cpu burst(Resources.Cpu cpu, long burst) {
    return new Resources.Cpu(
        cpu.shares(),
        cpu.quota(),
        Optional.of(burst),
        cpu.period(),
        cpu.realtimeRuntime(),
        cpu.realtimePeriod(),
        cpu.cpus(),
        cpu.mems(),
        cpu.idle(),
        cpu.others());
  }

  private static Resources pids(long limit) {
    return Resources.NONE.withPids(new Resources.Pids(Optional.of(limit), Map.of()));
  }

  private static PodException refused(Reason reason, ThrowingCallable call) {
    var failure = catchThrowableOfType(PodException.class, call);
    assertThat(failure).as("a refusal").isNotNull();
    assertThat(failure.reason()).as(failure.getMessage()).isEqualTo(reason);
    assertThat(failure.tried()).isEqualTo("update task 'web'");
    return failure;
  }

  private static String read(Cgroup group, String controller, String name) throws IOException {
    return group.file(controller, name).orElseThrow().read();
  }

  /** Where memory and processors are in trees of the first version. */
  @Nested
  @Tag("root")
  class OfThisMachine {
    private Cgroup group;
    private TaskLimits limits;

    @BeforeEach
    void make() throws IOException {
      group = CgroupMounts.detect().group("/caisson-test-" + UUID.randomUUID());
      assumeTrue(
          group.isLegacy("memory") && group.isLegacy("cpu"),
          "cgroup v1: memory and cpu are in the unified tree; boot with"
              + " systemd.unified_cgroup_hierarchy=0");
      group.create();
      limits = new TaskLimits(group, "update task 'web'");
    }

    @AfterEach
    void remove() throws IOException {
      group.remove();
    }

    private String memory(String name) throws IOException {
      return read(group, "memory", "memory." + name);
    }

    private void isSet(long limit, long together) throws IOException {
      assertThat(memory("limit_in_bytes")).isEqualTo("" + limit * MIB);
      assertThat(memory("memsw.limit_in_bytes")).isEqualTo("" + together * MIB);
    }

    @Test
    void memoryAndSwapGoUpAndDownTogether() throws IOException {
      limits.change(TaskLimitsTest.memory(64, 128));
      isSet(64, 128);
      limits.change(TaskLimitsTest.memory(256, 512));
      isSet(256, 512);
      limits.change(TaskLimitsTest.memory(32, 32));
      isSet(32, 32);
      limits.change(together(-1));
      limits.change(TaskLimitsTest.memory(1024));
      assertThat(memory("limit_in_bytes")).isEqualTo("" + 1024 * MIB);
    }

    @Test
    void onlyWhatIsNamedChanges() throws IOException {
      limits.change(TaskLimitsTest.memory(64, 128));

      limits.change(TaskLimitsTest.memory(32));
      isSet(32, 128);
      limits.change(together(64 * MIB));
      isSet(32, 64);
      limits.change(pids(7));
      isSet(32, 64);
      assertThat(read(group, "pids", "pids.max")).isEqualTo("7");
      limits.change(pids(-1));
      assertThat(read(group, "pids", "pids.max")).isEqualTo("max");
    }

    @Test
    void memoryAboveMemoryAndSwapIsRefusedUnlessBothAreGiven() throws IOException {
      limits.change(TaskLimitsTest.memory(64, 128));

      assertThat(refused(Reason.INVALID, () -> limits.change(TaskLimitsTest.memory(129))))
          .hasMessageContaining("memory.swap: found " + 128 * MIB)
          .hasMessageContaining("memory.limit " + 129 * MIB)
          .hasMessageContaining("set already");
      refused(Reason.INVALID, () -> limits.change(together(63 * MIB)));
      refused(Reason.INVALID, () -> limits.change(TaskLimitsTest.memory(256, 255)));
      isSet(64, 128);

      limits.change(TaskLimitsTest.memory(129, 129));
      isSet(129, 129);
    }

    @Test
    void noMemoryLimitBesideABoundOfBothIsRefused() throws IOException {
      limits.change(TaskLimitsTest.memory(64, 128));
      var none = Resources.NONE.withMemory(Resources.Memory.NONE.withLimit(-1));

      refused(Reason.INVALID, () -> limits.change(none));
      isSet(64, 128);

      limits.change(Resources.NONE.withMemory(Resources.Memory.NONE.withLimit(-1).withSwap(-1)));
      assertThat(Long.parseLong(memory("limit_in_bytes"))).isGreaterThan(1L << 60);
    }

    @Test
    void aBoundOfBothNeedsAMemoryLimitAlsoOneThatIsSet() throws IOException {
      refused(Reason.INVALID, () -> limits.change(together(64 * MIB)));

      limits.change(TaskLimitsTest.memory(64));
      limits.change(together(64 * MIB));
      isSet(64, 64);
    }

    @Test
    void memoryBelowTheReservationIsRefused() throws IOException {
      limits.change(
          Resources.NONE.withMemory(
              Resources.Memory.NONE.withLimit(64 * MIB).withReservation(48 * MIB)));

      assertThat(refused(Reason.INVALID, () -> limits.change(TaskLimitsTest.memory(47))))
          .hasMessageContaining("memory.reservation");
      assertThat(memory("limit_in_bytes")).isEqualTo("" + 64 * MIB);
      assertThat(memory("soft_limit_in_bytes")).isEqualTo("" + 48 * MIB);
    }

    @Test
    void processorTimeIsCheckedTogetherWithWhatIsSet() throws IOException {
      limits.change(cpu(burst(Resources.Cpu.NONE.withQuota(50_000).withPeriod(100_000), 20_000)));
      assertThat(read(group, "cpu", "cpu.cfs_burst_us")).isEqualTo("20000");

      refused(Reason.INVALID, () -> limits.change(cpu(burst(Resources.Cpu.NONE, 50_001))));
      limits.change(cpu(burst(Resources.Cpu.NONE.withQuota(200_000), 100_000)));
      limits.change(cpu(burst(Resources.Cpu.NONE.withQuota(10_000), 5_000)));
      limits.change(cpu(Resources.Cpu.NONE.withPeriod(50_000).withShares(77)));

      assertThat(read(group, "cpu", "cpu.cfs_quota_us")).isEqualTo("10000");
      assertThat(read(group, "cpu", "cpu.cfs_period_us")).isEqualTo("50000");
      assertThat(read(group, "cpu", "cpu.cfs_burst_us")).isEqualTo("5000");
      assertThat(read(group, "cpu", "cpu.shares")).isEqualTo("77");
      limits.change(cpu(burst(Resources.Cpu.NONE.withQuota(-1), 0)));
      assertThat(read(group, "cpu", "cpu.cfs_quota_us")).isEqualTo("-1");
    }

    @Test
    void aRefusedWritePutsThoseBeforeItBack() throws IOException {
      limits.change(TaskLimitsTest.memory(64, 128));
      limits.change(cpu(Resources.Cpu.NONE.withShares(512).withQuota(20_000)));
      var cpus = read(group, "cpuset", "cpuset.cpus");

      for (long size : new long[] {32, 1024}) {
        var failure =
            refused(
                Reason.INVALID,
                () ->
                    limits.change(
                        TaskLimitsTest.memory(size, 2 * size)
                            .withCpu(
                                Resources.Cpu.NONE
                                    .withShares(2)
                                    .withQuota(90_000)
                                    .withPeriod(50_000)
                                    .withCpus("0-9999"))));

        assertThat(failure).hasMessageContaining("cpuset.cpus").hasNoSuppressedExceptions();
        isSet(64, 128);
        assertThat(read(group, "cpu", "cpu.shares")).isEqualTo("512");
        assertThat(read(group, "cpu", "cpu.cfs_quota_us")).isEqualTo("20000");
        assertThat(read(group, "cpu", "cpu.cfs_period_us")).isEqualTo("100000");
        assertThat(read(group, "cpuset", "cpuset.cpus")).isEqualTo(cpus);
      }
    }

    @Test
    void lessMemoryThanIsUsedIsRefusedWhereThatWasAsked() throws Exception {
      var process = new ProcessBuilder("sh", "-c", "read line; sleep 1000 & wait").start();
      try {
        group.add(process.pid());
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        while (Long.parseLong(memory("usage_in_bytes")) == 0) {
          Thread.onSpinWait();
        }
        var careful =
            new Resources.Memory(
                Optional.of(4096L),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(true),
                Map.of());

        assertThat(
                refused(
                    Reason.WRONG_STATE, () -> limits.change(Resources.NONE.withMemory(careful))))
            .hasMessageContaining("in use");
      } finally {
        group.kill(Duration.ofSeconds(30));
        process.waitFor();
      }
    }

    @Tag("pod-86")
    @Test
    void whatCannotBeChangedIsNamedAndNothingChanges() throws IOException {
      limits.change(pids(9));
      var hugepages =
          new Resources(
              List.of(),
              Optional.empty(),
              Optional.empty(),
              pids(5).pids(),
              Optional.empty(),
              List.of(new Resources.HugepageLimit("2MB", Optional.of(1L), Map.of())),
              Optional.empty(),
              Map.of(),
              Map.of(),
              Map.of("future", 1));

      assertThat(refused(Reason.UNSUPPORTED, () -> limits.change(hugepages)))
          .hasMessageContaining("linux.resources.hugepageLimits")
          .hasMessageContaining("linux.resources.future");
      var unified =
          new Resources(
              List.of(),
              Optional.empty(),
              Optional.empty(),
              pids(5).pids(),
              Optional.empty(),
              List.of(),
              Optional.empty(),
              Map.of(),
              Map.of("memory.high", "1000000"),
              Map.of());
      refused(Reason.UNSUPPORTED, () -> limits.change(unified));

      assertThat(read(group, "pids", "pids.max")).isEqualTo("9");
    }

    @Test
    void anEndedTaskIsNotFound() throws IOException {
      group.remove();

      refused(Reason.NOT_FOUND, () -> limits.change(pids(5)));
    }
  }

  /** Files in a folder stand for a unified tree, as most machines have it. */
  @Nested
  class OfFilesThatLookUnified {
    @TempDir Path mount;
    private Cgroup group;
    private TaskLimits limits;

    @BeforeEach
    void make() throws IOException {
      var tree =
          new CgroupHierarchy(mount, Set.of("cpu", "cpuset", "memory", "pids", "io"), true, "/");
      group = new CgroupMounts(List.of(tree)).group("/web");
      Files.createDirectories(mount.resolve("web"));
      put("memory.max", "max");
      put("memory.swap.max", "max");
      put("memory.low", "0");
      put("memory.current", "4096");
      put("cpu.max", "max 100000");
      put("cpu.max.burst", "0");
      put("cpu.weight", "100");
      put("pids.max", "max");
      put("io.max", "8:0 rbps=1 wbps=22 riops=max wiops=max");
      put("io.weight", "default 100");
      put("cpuset.cpus", "");
      limits = new TaskLimits(group, "update task 'web'");
    }

    private void put(String name, String value) throws IOException {
      Files.writeString(mount.resolve("web").resolve(name), value);
    }

    /** Unlike the kernel's, these files keep what a shorter value leaves of a longer one. */
    private String written(String name) throws IOException {
      return Files.readString(mount.resolve("web").resolve(name));
    }

    private void widen(String... names) throws IOException {
      for (var name : names) {
        put(name, "111111111");
      }
    }

    @Test
    void swapIsWhatBothTogetherLeave() throws IOException {
      limits.change(memory(100, 300));
      assertThat(written("memory.max")).isEqualTo("" + 100 * MIB);
      assertThat(written("memory.swap.max")).isEqualTo("" + 200 * MIB);

      limits.change(memory(200));
      assertThat(written("memory.max")).isEqualTo("" + 200 * MIB);
      assertThat(written("memory.swap.max")).isEqualTo("" + 100 * MIB);
      refused(Reason.INVALID, () -> limits.change(memory(301)));
      refused(Reason.INVALID, () -> limits.change(together(199 * MIB)));
      assertThat(written("memory.max")).isEqualTo("" + 200 * MIB);
    }

    @Test
    void eachLimitHasItsFile() throws IOException {
      limits.change(
          pids(123)
              .withCpu(Resources.Cpu.NONE.withQuota(150_000).withShares(1024).withCpus("0-1"))
              .withMemory(Resources.Memory.NONE.withLimit(64 * MIB).withReservation(MIB)));

      assertThat(written("pids.max")).isEqualTo("123");
      assertThat(written("cpu.max")).isEqualTo("150000 100000");
      assertThat(written("cpu.weight")).isEqualTo("390");
      assertThat(written("cpuset.cpus")).isEqualTo("0-1");
      assertThat(written("memory.low")).isEqualTo("" + MIB);
      assertThat(written("memory.swap.max")).isEqualTo("max");
    }

    @Test
    void aPeriodAloneKeepsTheQuota() throws IOException {
      put("cpu.max", "20000 100000");

      limits.change(cpu(Resources.Cpu.NONE.withPeriod(200_000)));

      assertThat(written("cpu.max")).isEqualTo("20000 200000");
    }

    @Test
    void aRefusedWritePutsThoseBeforeItBack() throws IOException {
      widen("memory.max", "memory.swap.max");
      var pidsMax = mount.resolve("web/pids.max");
      Files.delete(pidsMax);
      // Can be read, and fails when it is written.
      Files.createSymbolicLink(pidsMax, Path.of("/proc/version"));

      var failure =
          refused(
              Reason.INTERNAL,
              () ->
                  limits.change(
                      pids(5)
                          .withMemory(
                              Resources.Memory.NONE.withLimit(200_000_000).withSwap(400_000_000))));

      Files.delete(pidsMax);
      assertThat(failure).hasMessageContaining("linux.resources.pids.limit");
      assertThat(written("memory.max")).isEqualTo("111111111");
      assertThat(written("memory.swap.max")).isEqualTo("111111111");
    }

    @Test
    void aMissingFileIsToldBeforeAnythingChanges() throws IOException {
      Files.delete(mount.resolve("web/pids.max"));

      assertThat(
              refused(
                  Reason.UNSUPPORTED,
                  () ->
                      limits.change(pids(5).withMemory(Resources.Memory.NONE.withLimit(64 * MIB)))))
          .hasMessageContaining("'pids'");

      assertThat(written("memory.max")).isEqualTo("max");
    }

    @Test
    void disksAreBoundedByDevice() throws IOException {
      var rate =
          List.of(
              new Resources.ThrottleDevice(
                  Optional.of(8L), Optional.of(0L), Optional.of(4096L), Map.of()));
      var none = Resources.BlockIo.NONE;
      var io =
          new Resources.BlockIo(
              Optional.of(505),
              none.leafWeight(),
              none.weightDevice(),
              none.throttleReadBps(),
              rate,
              none.throttleReadIops(),
              none.throttleWriteIops(),
              none.others());

      var writes = new LimitFiles(group).writes(Resources.NONE.withBlockIo(io));

      assertThat(writes)
          .extracting(LimitFiles.Write::value, LimitFiles.Write::before)
          .containsExactly(tuple("5000", "default 100"), tuple("8:0 wbps=4096", "8:0 wbps=22"));
    }

    @Test
    void filesOfTheSecondVersionCanBeNamed() throws IOException {
      put("memory.high", "max");
      var unified =
          new Resources(
              List.of(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              List.of(),
              Optional.empty(),
              Map.of(),
              Map.of("memory.high", "1000000"),
              Map.of());

      limits.change(unified);

      assertThat(written("memory.high")).isEqualTo("1000000");
    }
  }
}
