package dev.caisson.oci.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChallengeTest {
  private static final Map<String, String> FULL =
      Map.of(
          "realm", "https://auth.example/token",
          "service", "registry.example",
          "scope", "repository:team/app:pull,push");

  private static Challenge bearer(String field) {
    var usable =
        Challenge.parse(List.of(field)).stream()
            .filter(each -> each.scheme().equals("bearer"))
            .toList();
    assertThat(usable).hasSize(1);
    return usable.getFirst();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Bearer realm=\"https://auth.example/token\",service=\"registry.example\","
            + "scope=\"repository:team/app:pull,push\"",
        "Bearer scope=\"repository:team/app:pull,push\", service=\"registry.example\", "
            + "realm=\"https://auth.example/token\"",
        "bearer SERVICE=registry.example , Realm = https://auth.example/token ,\t"
            + "scope=\"repository:team/app:pull,push\"",
        ", ,Bearer realm=\"https:\\/\\/auth.example/token\" service=\"registry.example\" "
            + "scope=\"repository:team/app:pull,push\",,",
      })
  void parametersComeInAnyOrderAndDress(String field) {
    assertThat(bearer(field)).isEqualTo(new Challenge("bearer", FULL));
  }

  @Test
  void aFieldMayHoldSeveralChallenges() {
    var challenges =
        Challenge.parse(
            List.of(
                "Basic realm=\"one, two\", Bearer realm=\"https://auth.example/\", service=x,"
                    + " Negotiate",
                "Digest realm=y"));

    assertThat(challenges)
        .containsExactly(
            new Challenge("basic", Map.of("realm", "one, two")),
            new Challenge("bearer", Map.of("realm", "https://auth.example/", "service", "x")),
            new Challenge("negotiate", Map.of()),
            new Challenge("digest", Map.of("realm", "y")));
  }

  @Test
  void aScopeMayBeMissing() {
    assertThat(bearer("Bearer realm=\"https://auth.example/\"").parameters())
        .containsOnlyKeys("realm");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Negotiate YIIJvwYGKwYBBQUCoIIJszCC==, Bearer realm=\"r\"",
        "NTLM, Bearer realm=\"r\"",
        "\"junk\" <>{}; Bearer realm=\"r\"",
        "=, =\"\", Bearer realm=\"r\"",
        "é \u0001 Bearer realm=\"r\"",
        "Basic realm=\"say \\\"Bearer realm=x\\\"\", Bearer realm=\"r\""
      })
  void junkDoesNotHideAUsableChallenge(String field) {
    assertThat(bearer(field).parameters()).containsEntry("realm", "r");
  }

  @Test
  void theFirstOfTwoValuesCounts() {
    assertThat(bearer("Bearer realm=a, realm=b").parameters()).containsEntry("realm", "a");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", ",", "\"", "=", "Bearer realm", "Bearer realm=", "Bearer realm=\"a\\"})
  void whatBreaksOffIsReadAsFarAsItGoes(String field) {
    assertThat(Challenge.parse(List.of(field))).hasSizeLessThanOrEqualTo(2);
  }

  @Test
  void everyMutationEnds() {
    var random = new Random(11);
    var letters = "aB=\",\\ \t;é\u0000~";
    for (int round = 0; round < 20_000; round++) {
      var field =
          new StringBuilder("Basic realm=\"a, b\", Bearer realm=\"r\",service=s,scope=\"x:y\"");
      for (int change = random.nextInt(6); change >= 0 && !field.isEmpty(); change--) {
        int at = random.nextInt(field.length());
        char letter = letters.charAt(random.nextInt(letters.length()));
        switch (random.nextInt(4)) {
          case 0 -> field.setCharAt(at, letter);
          case 1 -> field.insert(at, letter);
          case 2 -> field.deleteCharAt(at);
          case 3 -> field.setLength(at + 1);
        }
      }

      var challenges = Challenge.parse(List.of(field.toString()));

      assertThat(challenges.size()).isLessThanOrEqualTo(field.length());
    }
  }
}
