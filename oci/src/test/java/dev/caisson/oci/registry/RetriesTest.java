package dev.caisson.oci.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetriesTest {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

  @Test
  @Tag("case-26")
  void pausesGrowFromASecondToAMinute() {
    assertThat(IntStream.rangeClosed(1, 9))
        .extracting(
            failed -> Retries.USUAL.after(failed, Optional.empty(), NOW).pause().toSeconds())
        .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L, 60L);
    assertThat(Retries.USUAL.after(Integer.MAX_VALUE, Optional.empty(), NOW).pause())
        .isEqualTo(Duration.ofMinutes(1));
  }

  @ParameterizedTest
  @CsvSource({
    "2, 2, false",
    "' 2 ', 2, false",
    "0, 1, false",
    "'Wed, 21 Oct 2037 07:28:00 GMT', 60, true",
    "'Wed, 21 Oct 2015 07:28:00 GMT', 1, false",
    "'Tue, 01 Jan 2030 00:00:07 GMT', 7, false",
    "abc, 1, false",
    "-5, 1, false",
    "1e9, 1, false",
    "'', 1, false",
    "61, 60, true",
    "99999999999999999999, 60, true"
  })
  @Tag("case-26")
  void whatAServerAsksForIsDoneWithinReason(String value, long seconds, boolean isCapped) {
    assertThat(Retries.USUAL.after(1, Optional.of(value), NOW))
        .isEqualTo(new Retries.Wait(Duration.ofSeconds(seconds), isCapped));
  }

  @Test
  void aBusyLoopCannotBeAskedFor() {
    assertThatThrownBy(() -> new Retries(3, Duration.ZERO, Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Retries.USUAL.withTries(0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
