package dev.caisson.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.daemon.container.ResourceSection;
import dev.caisson.library.CaissonException;
import dev.caisson.library.Limits;
import org.junit.jupiter.api.Test;

class LimitChangeTest {
  private static final Limits BEFORE =
      Limits.NONE.withMemory(64 << 20).withMemorySwap(128 << 20).withCpus(1_000_000_000);

  @Test
  void whatIsNotNamedStays() {
    assertThat(LimitChange.apply(BEFORE, Limits.NONE.withPids(7))).isEqualTo(BEFORE.withPids(7));
    assertThat(LimitChange.apply(BEFORE, Limits.NONE.withMemory(32 << 20)))
        .isEqualTo(BEFORE.withMemory(32 << 20));
  }

  @Test
  void oldAndNewMustGoTogether() {
    refused(Limits.NONE.withMemory(129 << 20), "--memory-swap " + (128 << 20));
    refused(Limits.NONE.withMemorySwap(63 << 20), "less than the memory limit");
    refused(Limits.NONE.withCpuQuota(50_000), "--cpus");
    refused(Limits.NONE.withCpuPeriod(50_000), "--cpus");
    refused(Limits.NONE.withMemoryReservation(65 << 20), "--memory-reservation");
  }

  private static void refused(Limits change, String reason) {
    assertThatThrownBy(() -> ResourceSection.of(LimitChange.apply(BEFORE, change)))
        .isInstanceOf(CaissonException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void memoryAndSwapTogetherGoesWithTheMemoryThatIsSet() {
    var change = LimitChange.complete(BEFORE, Limits.NONE.withMemorySwap(96 << 20));

    assertThat(ResourceSection.of(change).memory().orElseThrow().limit()).contains(64L << 20);
    assertThat(LimitChange.complete(BEFORE, Limits.NONE.withPids(1)))
        .isEqualTo(Limits.NONE.withPids(1));
    assertThatThrownBy(() ->
            ResourceSection.of(
                LimitChange.complete(Limits.NONE, Limits.NONE.withMemorySwap(96 << 20))))
        .hasMessageContaining("there is no memory limit");
  }
}
