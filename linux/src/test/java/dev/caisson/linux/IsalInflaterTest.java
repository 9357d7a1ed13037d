package dev.caisson.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;

class IsalInflaterTest {
  private static final byte[] TEXT = text();

  @Test
  void dataInPiecesOfAnySizeAreUnpackedAndTheRestIsLeft() throws IOException {
    try (var inflater = open()) {
      var random = new Random(2);
      for (int round = 0; round < 50; round++) {
        byte[] packed = pack();
        int length = packed.length;
        packed = Arrays.copyOf(packed, length + 20);
        byte[] unpacked = new byte[TEXT.length + 10];
        int in = 0;
        int out = 0;
        inflater.reset();
        while (!inflater.finished()) {
          int part = Math.min(1 + random.nextInt(5000), packed.length - in);
          out += inflater.inflate(packed, in, part, unpacked, out, 1 + random.nextInt(70_000));
          in += inflater.consumed();
        }

        assertThat(in).isEqualTo(length);
        assertThat(inflater.inflate(packed, in, 10, unpacked, out, 5)).isZero();
        assertThat(inflater.consumed()).isZero();
        assertThat(Arrays.copyOf(unpacked, out)).isEqualTo(TEXT);
      }
    }
  }

  @Test
  void damagedDataAreRefused() {
    try (var inflater = open()) {
      byte[] bytes = new byte[100];
      Arrays.fill(bytes, (byte) 0xff);

      assertThatThrownBy(() -> inflater.inflate(bytes, 0, 100, new byte[1000], 0, 1000))
          .isInstanceOf(IOException.class);
    }
  }

  private static IsalInflater open() {
    var inflater = IsalInflater.open();
    assumeTrue(inflater.isPresent(), "isa-l: not on this machine; install package libisal2");
    return inflater.orElseThrow();
  }

  private static byte[] pack() {
    var deflater = new Deflater(6, true);
    deflater.setInput(TEXT);
    deflater.finish();
    byte[] packed = new byte[TEXT.length + 1000];
    int length = deflater.deflate(packed);
    deflater.end();
    return Arrays.copyOf(packed, length);
  }

  private static byte[] text() {
    byte[] text = new byte[300_000];
    var random = new Random(1);
    for (int i = 0; i < text.length; i++) {
      text[i] = (byte) ('a' + random.nextInt(1 + i % 20));
    }
    return text;
  }
}
