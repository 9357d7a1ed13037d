package dev.caisson.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlatformTest {
  private static List<Descriptor> variants() throws IOException {
    try (var in = PlatformTest.class.getResourceAsStream("index-of-variants.json")) {
      return Json.read(in.readAllBytes(), Index.class).manifests();
    }
  }

  private static Descriptor image(int number, Map<String, Object> platform) {
    return new Descriptor(
        Descriptor.MANIFEST,
        Digest.of(new byte[] {(byte) number}),
        1,
        platform.isEmpty() ? Map.of() : Map.of("platform", platform));
  }

  /** One letter for each image, that of its digest. */
  private static String letters(List<Descriptor> images) {
    var letters = new StringBuilder();
    images.forEach(image -> letters.append(image.digest().hex().charAt(0)));
    return letters.toString();
  }

  @ParameterizedTest
  @Tag("case-31")
  @CsvSource({
    "linux/arm/v7, ab9",
    "linux/arm, ab9",
    "linux/arm/v8, ab9",
    "linux/arm/v6, b9",
    "linux/arm/v5, b9",
    "linux/arm/v4, 9",
    "linux/arm64, c9",
    "linux/arm64/v8, c9",
    "linux/amd64, e9",
    "linux/amd64/v2, e9",
    "linux/amd64/v3, de9",
    "linux/amd64/v4, de9",
    "linux/riscv64, 9",
    "windows/amd64, 9"
  })
  void theBestNotAboveTheHostComesFirstInAnyOrder(String host, String choices) throws IOException {
    var platform = Platform.parse(host);
    var offered = new ArrayList<>(variants());
    var random = new Random(31);

    for (int round = 0; round < 200; round++) {
      assertThat(letters(platform.choices(offered))).isEqualTo(choices);
      Collections.shuffle(offered, random);
    }
  }

  @Test
  @Tag("case-31")
  void unknownIsNoPlatform() {
    var host = Platform.parse("linux/amd64");

    assertThat(
            host.choices(
                List.of(
                    image(1, Map.of("os", "unknown", "architecture", "unknown")),
                    image(2, Map.of("os", "linux", "architecture", "unknown")),
                    image(3, Map.of("os", "unknown", "architecture", "amd64")))))
        .isEmpty();
  }

  @Test
  @Tag("case-31")
  void ofTwoThatFitAlikeTheFirstIsTaken() {
    var first = image(1, Map.of("os", "linux", "architecture", "amd64"));
    var second = image(2, Map.of("os", "linux", "architecture", "amd64", "variant", "v1"));
    var host = Platform.parse("linux/amd64");

    assertThat(host.choices(List.of(first, second))).containsExactly(first, second);
    assertThat(host.choices(List.of(second, first))).containsExactly(second, first);
  }

  @ParameterizedTest
  @CsvSource({
    "linux/arm64, linux/arm64/v8, true",
    "linux/arm64/v8, linux/arm64, true",
    "linux/aarch64, linux/arm64/8, true",
    "linux/x86_64, linux/amd64/v1, true",
    "linux/arm64/v9, linux/arm64/v8, true",
    "linux/arm64/v8, linux/arm64/v9, false",
    "linux/arm64/v8, linux/arm64/v8.1, false",
    "linux/arm64/v8.2, linux/arm64/v8.1, true",
    "linux/arm64/v8.10, linux/arm64/v8.9, true",
    "linux/arm64/v8.1, linux/arm64, true",
    "linux/ppc64le, linux/ppc64le, true",
    "linux/mips64le/softfloat, linux/mips64le/hardfloat, false",
    "linux/amd64, freebsd/amd64, false"
  })
  void whatRunsHereIsNeverAboveTheHost(String host, String offered, boolean accepted) {
    assertThat(Platform.parse(host).accepts(Platform.parse(offered))).isEqualTo(accepted);
  }

  @Test
  void oddPlatformsOfAListAreNoChoiceAndNoError() {
    var host = Platform.parse("linux/arm64");

    assertThat(
            host.choices(
                List.of(
                    image(1, Map.of("os", "linux")),
                    image(2, Map.of("os", 7L, "architecture", "arm64")),
                    image(3, Map.of("os", "linux", "architecture", "../x")),
                    image(4, Map.of("os", "linux", "architecture", "arm64", "variant", "v99999")))))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "linux", "linux/", "/arm64", "linux/arm64/", "a/b/c/d", "linux/a b"})
  void whatIsNoPlatformIsRefusedWithTheFormThatIsWanted(String text) {
    assertThatThrownBy(() -> Platform.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("platform")
        .hasMessageContaining("linux/arm64/v8");
  }

  @ParameterizedTest
  @CsvSource({
    "linux/arm, linux/arm/v7",
    "linux/aarch64, linux/arm64/v8",
    "linux/arm/6, linux/arm/v6",
    "linux/riscv64, linux/riscv64"
  })
  void theTextOfAPlatformIsComplete(String text, String complete) {
    assertThat(Platform.parse(text)).hasToString(complete);
    assertThat(Platform.parse(complete)).isEqualTo(Platform.parse(text));
  }
}
