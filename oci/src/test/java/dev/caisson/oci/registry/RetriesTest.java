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
import org.junit.jupiter.params.provider.ValueSource;

class RetriesTest {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  private static final Retries RETRIES = Retries.USUAL;

  private static Retries.Wait wait(String retryAfter) {
    return RETRIES.after(1, Optional.of(retryAfter), NOW);
  }

  @ParameterizedTest
  @Tag("case-26")
  @CsvSource(
      delimiter = '|',
      value = {
        "2 | 2",
        "' 7 ' | 7",
        "60 | 60",
        "Tue, 01 Jan 2030 00:00:30 GMT | 30",
        "Tue, 1 Jan 2030 00:00:30 GMT | 30"
      })
  void whatTheServerSaysIsWaited(String retryAfter, long seconds) {
    assertThat(wait(retryAfter)).isEqualTo(new Retries.Wait(Duration.ofSeconds(seconds), false));
  }

  @ParameterizedTest
  @Tag("case-26")
  @ValueSource(
      strings = {
        "61",
        "999999999",
        "99999999999999999999",
        "Wed, 21 Oct 2037 07:28:00 GMT",
        "Fri, 31 Dec 9999 23:59:59 GMT"
      })
  void moreThanTheLongestPauseIsCappedAndTold(String retryAfter) {
    assertThat(wait(retryAfter)).isEqualTo(new Retries.Wait(RETRIES.longestPause(), true));
  }

  @ParameterizedTest
  @Tag("case-26")
  @ValueSource(strings = {"0", "000", "Wed, 21 Oct 2015 07:28:00 GMT"})
  void atOnceAndTimesGoneByAreNoBusyLoop(String retryAfter) {
    assertThat(wait(retryAfter)).isEqualTo(new Retries.Wait(RETRIES.firstPause(), false));
  }

  @ParameterizedTest
  @Tag("case-26")
  @ValueSource(
      strings = {
        "",
        " ",
        "abc",
        "-5",
        "1e9",
        "1.5",
        "880.092us",
        "٣",
        "Wed, 21 Oct",
        "Mon, 21 Oct 2037 07:28"
      })
  void nonsenseCountsAsNothing(String retryAfter) {
    for (int failed = 1; failed < 9; failed++) {
      assertThat(RETRIES.after(failed, Optional.of(retryAfter), NOW))
          .isEqualTo(RETRIES.after(failed, Optional.empty(), NOW));
    }
  }

  @Test
  @Tag("case-26")
  void pausesDoubleUpToTheLongest() {
    assertThat(
            IntStream.rangeClosed(1, 9)
                .mapToObj(failed -> RETRIES.after(failed, Optional.empty(), NOW))
                .map(wait -> wait.pause().toSeconds()))
        .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L, 60L);
  }

  @Test
  void noNumberOfTriesIsTooLarge() {
    assertThat(RETRIES.after(Integer.MAX_VALUE, Optional.empty(), NOW))
        .isEqualTo(new Retries.Wait(RETRIES.longestPause(), false));
  }

  @ParameterizedTest
  @CsvSource({"0, 1, 2", "1, 0, 2", "1, -1, 2", "1, 3, 2"})
  void whatWouldNotTryOrNotPauseIsRefused(int tries, int first, int longest) {
    assertThatThrownBy(
            () -> new Retries(tries, Duration.ofSeconds(first), Duration.ofSeconds(longest)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least one try");
  }
}
