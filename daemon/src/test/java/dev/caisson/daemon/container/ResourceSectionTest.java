package dev.caisson.daemon.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.library.CaissonException;
import dev.caisson.library.Limits;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResourceSectionTest {
  @Test
  void noLimitsGiveAnEmptySection() {
    assertThat(ResourceSection.of(Limits.NONE)).isEmpty();
  }

  @Test
  void oneAndAHalfProcessorsAreAQuotaOfTheUsualPeriod() {
    assertThat(ResourceSection.of(Limits.NONE.withCpus(1_500_000_000)))
        .containsEntry("cpu", Map.of("quota", 150_000L, "period", 100_000L));
  }

  @Test
  void aHugeNumberOfProcessorsIsNotWrapped() {
    assertThat(ResourceSection.of(Limits.NONE.withCpus(1_000_000_000_000_000L)))
        .containsEntry("cpu", Map.of("quota", 100_000_000_000L, "period", 100_000L));
  }

  @Tag("case-64")
  @ParameterizedTest
  @CsvSource({"1, 2", "2, 2", "1024, 1024", "262144, 262144"})
  void sharesOfOneAreTakenAsTwo(long asked, long written) {
    assertThat(ResourceSection.of(Limits.NONE.withCpuShares(asked)))
        .containsEntry("cpu", Map.of("shares", written));
  }

  @Tag("case-64")
  @Test
  void sharesOfZeroAreNotSetAndTooManyAreRefusedByTheirName() {
    assertThat(ResourceSection.of(Limits.NONE.withCpuShares(0))).isEmpty();
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
        .containsEntry("memory", Map.of("limit", memory, "swap", swap));
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
