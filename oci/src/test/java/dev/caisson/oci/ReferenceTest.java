package dev.caisson.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReferenceTest {
  private static final String DIGEST =
      "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

  @ParameterizedTest
  @CsvSource({
    "busybox, docker.io/library/busybox:latest",
    "busybox:1.36, docker.io/library/busybox:1.36",
    "team/app, docker.io/team/app:latest",
    "index.docker.io/busybox, docker.io/library/busybox:latest",
    "localhost/app, localhost/app:latest",
    "localhost:5000/app:2, localhost:5000/app:2",
    "registry.example/a/b/c:v1.2_3, registry.example/a/b/c:v1.2_3",
    "app@" + DIGEST + ", docker.io/library/app@" + DIGEST,
    "host:1/app:t@" + DIGEST + ", host:1/app:t@" + DIGEST,
    "[::1]:5000/app, [::1]:5000/app:latest"
  })
  void shortNamesAreCompleted(String text, String full) {
    assertThat(Reference.parse(text)).hasToString(full);
    assertThat(Reference.parse(full)).isEqualTo(Reference.parse(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "App", "a//b", "a:", "a:b c", "-a", "a@sha256:12", "/a", "a/", "a..b"})
  void otherTextsAreRefused(String text) {
    assertThatThrownBy(() -> Reference.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
