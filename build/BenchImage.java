import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.zip.GZIPOutputStream;

/**
 * Writes an OCI layout for {@code make bench}: {@code java BenchImage.java DIR}. Its image {@code
 * bench} has 5 layers with 20,000 files and 500 MB in all, packed with gzip to about half, and is
 * the same each time.
 */
class BenchImage {
  private static final int LAYERS = 5;
  private static final int FILES = 4_000;
  private static final int BLOCK = 512;
  private static final int[] SIZES = {200, 2_000, 8_000, 20_000, 50_000, 70_000};

  private final Path blobs;
  private final Random random = new Random(7);
  private final byte[][] words = new byte[4_000][];

  private BenchImage(Path blobs) {
    this.blobs = blobs;
    for (int i = 0; i < words.length; i++) {
      words[i] = new byte[3 + random.nextInt(10)];
      random.nextBytes(words[i]);
    }
  }

  public static void main(String[] arguments) throws IOException {
    var directory = Path.of(arguments[0]);
    new BenchImage(Files.createDirectories(directory.resolve("blobs/sha256"))).write(directory);
  }

  private void write(Path directory) throws IOException {
    var layers = new ArrayList<String>();
    var diffIds = new ArrayList<String>();
    for (int i = 0; i < LAYERS; i++) {
      byte[] archive = layer(i);
      diffIds.add("\"sha256:" + hash(archive) + "\"");
      layers.add(put("application/vnd.oci.image.layer.v1.tar+gzip", gzip(archive)));
    }
    String architecture = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
    String config =
        """
        {"os":"linux","architecture":"%s","rootfs":{"type":"layers","diff_ids":%s}}\
        """
            .formatted(architecture, diffIds);
    String manifest =
        """
        {"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":%s,"layers":%s}\
        """
            .formatted(put("application/vnd.oci.image.config.v1+json", bytes(config)), layers);
    String entry = put("application/vnd.oci.image.manifest.v1+json", bytes(manifest));
    String named =
        entry.substring(0, entry.length() - 1)
            + ",\"annotations\":{\"org.opencontainers.image.ref.name\":\"bench\"}}";
    Files.writeString(
        directory.resolve("index.json"), "{\"schemaVersion\":2,\"manifests\":[" + named + "]}");
    Files.writeString(directory.resolve("oci-layout"), "{\"imageLayoutVersion\":\"1.0.0\"}");
  }

  private byte[] layer(int number) {
    var archive = new ByteArrayOutputStream();
    for (int i = 0; i < FILES; i++) {
      byte[] content = content(SIZES[random.nextInt(SIZES.length)]);
      archive.writeBytes(header("l%d/d%d/f%d".formatted(number, i / 100, i), content.length));
      archive.writeBytes(Arrays.copyOf(content, (content.length + BLOCK - 1) / BLOCK * BLOCK));
    }
    archive.writeBytes(new byte[2 * BLOCK]);
    return archive.toByteArray();
  }

  /** Words of a small vocabulary, so that it packs like programs and texts do. */
  private byte[] content(int size) {
    byte[] content = new byte[size];
    for (int at = 0; at < size; ) {
      byte[] word = words[random.nextInt(words.length)];
      int length = Math.min(word.length, size - at);
      System.arraycopy(word, 0, content, at, length);
      at += length;
    }
    return content;
  }

  /** Source: tar(5), "POSIX ustar Archives". */
  private static byte[] header(String name, int size) {
    byte[] header = new byte[BLOCK];
    field(header, 0, name);
    field(header, 100, "0000644");
    field(header, 108, "0000000");
    field(header, 116, "0000000");
    field(header, 124, "%011o".formatted(size));
    field(header, 136, "%011o".formatted(1_700_000_000));
    field(header, 148, "        ");
    field(header, 156, "0");
    field(header, 257, "ustar");
    field(header, 263, "00");
    int sum = 0;
    for (byte each : header) {
      sum += each & 0xFF;
    }
    field(header, 148, "%06o\0 ".formatted(sum));
    return header;
  }

  private static void field(byte[] header, int at, String text) {
    byte[] value = bytes(text);
    System.arraycopy(value, 0, header, at, value.length);
  }

  private static byte[] gzip(byte[] content) throws IOException {
    var packed = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(packed)) {
      out.write(content);
    }
    return packed.toByteArray();
  }

  /** Writes a blob. Returns its descriptor. */
  private String put(String type, byte[] content) throws IOException {
    Files.write(blobs.resolve(hash(content)), content);
    return "{\"mediaType\":\"%s\",\"digest\":\"sha256:%s\",\"size\":%d}"
        .formatted(type, hash(content), content.length);
  }

  private static String hash(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
