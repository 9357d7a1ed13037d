package dev.caisson.oci.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class ChallengeTest {
  private static final String BEARER =
      "Bearer realm=\"https://auth.example/token?a=1,2\",service=\"reg\","
          + " scope=\"repository:a:pull,push\"";

  @Test
  void parametersMayHaveCommasQuotesAndAnyOrder() {
    assertThat(Challenge.parse(List.of(BEARER)))
        .containsExactly(
            new Challenge(
                "bearer",
                Map.of(
                    "realm",
                    "https://auth.example/token?a=1,2",
                    "service",
                    "reg",
                    "scope",
                    "repository:a:pull,push")));
    assertThat(Challenge.parse(List.of("BEARER Service=reg , REALM = \"a\\\"b\"")))
        .containsExactly(new Challenge("bearer", Map.of("service", "reg", "realm", "a\"b")));
  }

  @Test
  void severalChallengesMayShareAField() {
    assertThat(
            Challenge.parse(
                List.of("Negotiate, Basic realm=\"a, b\", " + BEARER, "Digest qop=\"auth\"")))
        .extracting(Challenge::scheme)
        .containsExactly("negotiate", "basic", "bearer", "digest");
  }

  @Test
  void oneThatIsUsableIsFoundBehindRubbish() {
    assertThat(Challenge.parse(List.of(",,= \"x\" @@ , Negotiate YII=, Basic realm=x")))
        .contains(new Challenge("basic", Map.of("realm", "x")));
    assertThat(Challenge.parse(List.of("", " ", "\"", "Basic realm=\"never closed")))
        .containsExactly(new Challenge("basic", Map.of("realm", "never closed")));
  }

  @RepeatedTest(200)
  void nothingHoldsItUp(RepetitionInfo repetition) {
    var random = new Random(repetition.getCurrentRepetition());
    var text = new StringBuilder(BEARER + ", Basic realm=\"x\"");
    for (int i = 0; i < 10; i++) {
      text.setCharAt(random.nextInt(text.length()), (char) (32 + random.nextInt(96)));
    }

    assertThat(Challenge.parse(List.of(text.toString()))).hasSizeLessThan(100);
  }
}
