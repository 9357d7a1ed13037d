package dev.caisson.daemon.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.engine.spec.Resources;
import dev.caisson.engine.spec.Resources.Cpu;
import dev.caisson.engine.spec.Resources.Memory;
import dev.caisson.library.CaissonException;
import dev.caisson.library.Limits;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResourceSectionTest {
  @Test
  void noLimitsGiveAnEmptySection() {
    assertThat(ResourceSection.of(Limits.NONE)).isEqualTo(Resources.NONE);
  }

  @Test
  void oneAndAHalfProcessorsAreAQuotaOfTheUsualPeriod() {
    assertThat(ResourceSection.of(Limits.NONE.withCpus(1_500_000_000)))
        .isEqualTo(Resources.NONE.withCpu(Cpu.NONE.withQuota(150_000).withPeriod(100_000)));
  }

  @Test
  void aHugeNumberOfProcessorsIsNotWrapped() {
    assertThat(ResourceSection.of(Limits.NONE.withCpus(1_000_000_000_000_000L)))
        .isEqualTo(
            Resources.NONE.withCpu(Cpu.NONE.withQuota(100_000_000_000L).withPeriod(100_000)));
  }

  @Tag("case-64")
  @ParameterizedTest
  @CsvSource({"1, 2", "2, 2", "1024, 1024", "262144, 262144"})
  void sharesOfOneAreTakenAsTwo(long asked, long written) {
    assertThat(ResourceSection.of(Limits.NONE.withCpuShares(asked)))
        .isEqualTo(Resources.NONE.withCpu(Cpu.NONE.withShares(written)));
  }

  @Tag("case-64")
  @Test
  void sharesOfZeroAreNotSetAndTooManyAreRefusedByTheirName() {
    assertThat(ResourceSection.of(Limits.NONE.withCpuShares(0))).isEqualTo(Resources.NONE);
    for (long asked : new long[] {262_145, -1, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> ResourceSection.of(Limits.NONE.withCpuShares(asked)))
          .isInstanceOf(CaissonException.class)
          .hasMessageContaining("linux.resources.cpu.shares");
    }
  }

  @Tag("case-69")
  @ParameterizedTest
  @CsvSource({"536870912, 805306368", "33554432, 33554432", "33554432, -1"})
  void memoryAndSwapTogetherAreHandedOnAsTheyAre(long memory, long swap) {
    assertThat(ResourceSection.of(Limits.NONE.withMemory(memory).withMemorySwap(swap)))
        .isEqualTo(Resources.NONE.withMemory(Memory.NONE.withLimit(memory).withSwap(swap)));
  }

  @Tag("case-69")
  @Test
  void aTotalBelowTheLimitAndATotalWithoutLimitAreRefused() {
    assertThatThrownBy(
            () -> ResourceSection.of(Limits.NONE.withMemory(67_108_864).withMemorySwap(33_554_432)))
        .hasMessageContaining("less than the memory limit");
    assertThatThrownBy(() -> ResourceSection.of(Limits.NONE.withMemorySwap(33_554_432)))
        .hasMessageContaining("no memory limit");
  }

  @Test
  void whatContradictsItselfIsRefused() {
    for (var limits :
        List.of(
            Limits.NONE.withMemory(1 << 20),
            Limits.NONE.withCpus(1).withCpuQuota(50_000),
            Limits.NONE.withCpus(-1),
            Limits.NONE.withCpuPeriod(1),
            Limits.NONE.withIoWeight(5),
            Limits.NONE.withMemory(64 << 20).withMemoryReservation(128 << 20))) {
      assertThatThrownBy(() -> ResourceSection.of(limits)).isInstanceOf(CaissonException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "0-", "0,,1", "0-1-2"})
  void aListOfProcessorsHasAForm(String list) {
    assertThatThrownBy(() -> ResourceSection.of(Limits.NONE.withCpusetCpus(list)))
        .hasMessageContaining("--cpuset-cpus");
  }
}
