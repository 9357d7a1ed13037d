package dev.caisson.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ByteTextTest {
  @Test
  void validTextReadsAsItself() {
    String text = "größe-日本-😀";

    assertThat(ByteText.decode(text.getBytes(StandardCharsets.UTF_8))).isEqualTo(text);
    assertThat(ByteText.encode(text)).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void anyBytesComeBackAsTheyWere() {
    var random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(12)];
      random.nextBytes(bytes);

      assertThat(ByteText.encode(ByteText.decode(bytes))).isEqualTo(bytes);
    }
  }

  @Test
  void aTextWithNulIsRefused() {
    try (var arena = Arena.ofConfined()) {
      assertThatThrownBy(() -> ByteText.allocate(arena, "a\0b"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("NUL");
    }
  }
}
