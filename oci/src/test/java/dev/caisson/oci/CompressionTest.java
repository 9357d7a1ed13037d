package dev.caisson.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStream;
import dev.caisson.linux.DirectoryHandle;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompressionTest {
  private static final byte[] LAYER = LayerText.layer("file a 0644 \"" + random(100_000) + "\"");

  @TempDir Path directory;

  @Test
  @Tag("case-13")
  void theFirstBytesDecideAndALabelThatDiffersIsWarnedOf() throws IOException {
    String gzip = "application/vnd.docker.image.rootfs.diff.tar.gzip";
    String plain = "application/vnd.oci.image.layer.v1.tar";

    assertThat(unpack(Zstd.compress(LAYER), "application/vnd.docker.image.rootfs.diff.tar.zstd"))
        .isEmpty();
    assertThat(unpack(Zstd.compress(LAYER), plain + "+zstd")).isEmpty();
    assertThat(unpack(gzip(LAYER), gzip)).isEmpty();
    assertThat(unpack(LAYER, plain)).isEmpty();
    assertThat(unpack(zstdOfFrames(), gzip)).contains(gzip, "tar+zstd");
    assertThat(unpack(gzipOfMembers(), plain)).contains(plain, "tar+gzip");
    assertThat(unpack(LAYER, gzip)).contains(gzip, "tar");
  }

  @Test
  @Tag("case-13")
  void membersAndFramesFollowEachOther() throws IOException {
    assertThat(read(gzipOfMembers())).isEqualTo(LAYER);
    assertThat(read(zstdOfFrames())).isEqualTo(LAYER);
    assertThat(read(join(gzip(LAYER), new byte[512]))).isEqualTo(LAYER);
  }

  @Test
  @Tag("case-15")
  void aGzipLayerThatIsCutOffFails() {
    byte[] packed = gzip(LAYER);
    for (int length : new int[] {3, 9, packed.length / 2, packed.length - 8, packed.length - 1}) {
      assertThatThrownBy(() -> unpack(Arrays.copyOf(packed, length), ""))
          .as("first %d bytes", length)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("unpack layer 'sha256:test'")
          .hasMessageContaining("offset");
    }
  }

  @Test
  @Tag("case-15")
  void aZstdLayerWithAChangedByteFails() throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var zstd = new ZstdOutputStream(bytes)) {
      zstd.setChecksum(true);
      zstd.write(LAYER);
    }
    byte[] packed = bytes.toByteArray();
    packed[packed.length / 2] ^= 0x10;

    assertThatThrownBy(() -> unpack(packed, ""))
        .isInstanceOf(DamagedLayerException.class)
        .hasMessageContaining("offset");
    assertThatThrownBy(() -> unpack(Arrays.copyOf(Zstd.compress(LAYER), 5000), ""))
        .isInstanceOf(DamagedLayerException.class);
  }

  @Test
  void bothWaysToUnpackGzipGiveTheSame() throws IOException {
    byte[] packed = gzipOfMembers();
    for (int piece : new int[] {1, 2, 7, 100, 65_536, 1_000_000}) {
      try (var jdk = new GzipMembers(inPieces(packed, piece), new RawInflation.Jdk());
          var usual = new GzipMembers(inPieces(packed, piece))) {
        assertThat(jdk.readAllBytes()).isEqualTo(LAYER);
        assertThat(usual.readAllBytes()).isEqualTo(LAYER);
      }
    }
  }

  private static InputStream inPieces(byte[] bytes, int size) {
    return new ByteArrayInputStream(bytes) {
      @Override
      public int read(byte[] target, int offset, int length) {
        return super.read(target, offset, Math.min(length, size));
      }
    };
  }

  @Test
  void aGzipMemberWithAWrongSumFails() {
    byte[] packed = gzip(LAYER);
    packed[packed.length - 6] ^= 1;

    assertThatThrownBy(() -> read(packed)).hasMessageContaining("sum");
  }

  @Test
  @Tag("case-118")
  void aZstdFrameWithAHugeWindowIsRefused() throws IOException {
    // A frame header that asks for a window of 2 GiB: magic, descriptor, window byte 21 << 3.
    byte[] frame = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, 0x00, (byte) (21 << 3), 1, 0, 0};

    assertThatThrownBy(() -> read(frame)).isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void aStreamOfFewBytesIsNoCompression(int length) throws IOException {
    assertThat(read(new byte[length])).hasSize(length);
  }

  private String unpack(byte[] packed, String mediaType) throws IOException {
    Path root = Files.createTempDirectory(directory, "root");
    try (var handle = DirectoryHandle.open(root)) {
      var outcome =
          new Unpacking("sha256:test", mediaType, LayerLimits.USUAL)
              .ontoTree(new ByteArrayInputStream(packed), handle);
      assertThat(outcome.diffId()).isEqualTo(Digest.of(LAYER));
      return String.join("; ", outcome.warnings());
    }
  }

  private static byte[] read(byte[] packed) throws IOException {
    var unpacked = Compression.open(new ByteArrayInputStream(packed), LayerLimits.USUAL);
    try (var stream = unpacked.stream()) {
      return stream.readAllBytes();
    }
  }

  private static byte[] gzipOfMembers() {
    int half = LAYER.length / 2;
    return join(
        gzip(Arrays.copyOf(LAYER, half)), gzip(Arrays.copyOfRange(LAYER, half, LAYER.length)));
  }

  private static byte[] zstdOfFrames() {
    int half = LAYER.length / 2;
    byte[] skippable = {0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3};
    return join(
        skippable,
        Zstd.compress(Arrays.copyOf(LAYER, half)),
        skippable,
        Zstd.compress(Arrays.copyOfRange(LAYER, half, LAYER.length)));
  }

  private static byte[] gzip(byte[] content) {
    var bytes = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(bytes)) {
      gzip.write(content);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return bytes.toByteArray();
  }

  private static byte[] join(byte[]... parts) {
    var bytes = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      bytes.writeBytes(part);
    }
    return bytes.toByteArray();
  }

  private static String random(int length) {
    return new Random(5)
        .ints(length, 'a', 'z')
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}
