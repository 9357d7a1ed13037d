package dev.caisson.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ChunkPipeTest {
  @Test
  void everythingPassesInOrderAndIsHashed() throws IOException {
    byte[] bytes = new byte[3_000_001];
    new Random(4).nextBytes(bytes);
    var hash = Digest.algorithm();
    var source = new ByteArrayInputStream(bytes);

    try (var pipe = new ChunkPipe(source, source, hash, "test")) {
      assertThat(pipe.readAllBytes()).isEqualTo(bytes);
      assertThat(pipe.read()).isEqualTo(-1);
    }

    assertThat(Digest.ofHash(hash.digest())).isEqualTo(Digest.of(bytes));
  }

  @Test
  void aFailureOfTheSourceReachesTheReader() throws IOException {
    var failing =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("broken");
          }
        };
    var source = new SequenceInputStream(new ByteArrayInputStream(new byte[10]), failing);

    try (var pipe = new ChunkPipe(source, source, Digest.algorithm(), "test")) {
      assertThatThrownBy(pipe::readAllBytes).hasMessage("broken");
    }
  }

  @Test
  void closingFreesAThreadThatWaitsForData() throws Exception {
    var started = new CountDownLatch(1);
    var released = new CountDownLatch(1);
    var silent =
        new InputStream() {
          @Override
          public int read() throws IOException {
            started.countDown();
            while (released.getCount() > 0) {
              try {
                released.await();
              } catch (InterruptedException e) {
                // Like a read in the kernel, which an interrupt of the thread does not end.
                continue;
              }
            }
            return -1;
          }

          @Override
          public void close() {
            released.countDown();
          }
        };

    var pipe = new ChunkPipe(silent, silent, Digest.algorithm(), "test");
    started.await();
    pipe.close();

    assertThat(released.getCount()).isZero();
  }

  @Test
  void closingEarlyEndsAThreadThatIsFarAhead() throws IOException {
    var endless =
        new InputStream() {
          @Override
          public int read() {
            return 0;
          }

          @Override
          public int read(byte[] target, int offset, int length) {
            return length;
          }
        };

    try (var pipe = new ChunkPipe(endless, endless, Digest.algorithm(), "test")) {
      assertThat(pipe.read()).isZero();
    }
  }
}
