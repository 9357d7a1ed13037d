package dev.caisson.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlatformTest {
  private static List<Descriptor> offered() throws IOException {
    try (var stream = PlatformTest.class.getResourceAsStream("registry/list-with-variants.json")) {
      return Json.read(stream.readAllBytes(), Index.class).manifests();
    }
  }

  /** What is taken is named by the first digit of its digest, 9 for the one without a platform. */
  @ParameterizedTest
  @CsvSource({
    "linux/arm/v7, ab9",
    "linux/arm/v6, b9",
    "linux/arm/v5, b9",
    "linux/arm, ab9",
    "linux/arm/v8, ab9",
    "linux/arm64, c9",
    "linux/arm64/v8, c9",
    "linux/aarch64, c9",
    "linux/amd64, e9",
    "linux/amd64/v2, e9",
    "linux/amd64/v3, de9",
    "linux/amd64/v4, de9",
    "linux/x86_64, e9",
    "linux/riscv64, 9",
    "windows/amd64, 9",
    "linux/386, 9"
  })
  @Tag("case-31")
  void theBestThatIsNotAboveIsTakenInWhateverOrder(String platform, String digits)
      throws IOException {
    for (int seed = 0; seed < 20; seed++) {
      var list = new ArrayList<>(offered());
      Collections.shuffle(list, new Random(seed));

      assertThat(Platform.parse(platform).choices(list))
          .extracting(each -> each.digest().hex().substring(0, 1))
          .containsExactly(digits.split(""));
    }
  }

  @Test
  @Tag("case-31")
  void aMissingVariantIsTheBaseOne() {
    assertThat(Platform.parse("linux/arm64")).isEqualTo(Platform.parse("linux/arm64/v8"));
    assertThat(Platform.parse("linux/arm")).isEqualTo(Platform.parse("linux/arm/v7"));
    assertThat(Platform.parse("linux/amd64")).isEqualTo(Platform.parse("linux/amd64/v1"));
    assertThat(Platform.parse("linux/arm/7")).isEqualTo(Platform.parse("linux/arm/v7"));
    assertThat(Platform.own().accepts(Platform.own())).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "linux",
        "/",
        "linux/",
        "/amd64",
        "linux/arm/",
        "linux/arm/v7/x",
        "a b/c",
        "l/\u001b"
      })
  void whatIsNoPlatformIsRefused(String text) {
    assertThatThrownBy(() -> Platform.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("linux/arm64/v8");
  }
}
