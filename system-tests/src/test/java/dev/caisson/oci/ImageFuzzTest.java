package dev.caisson.oci;

import com.github.luben.zstd.Zstd;
import dev.caisson.fuzz.Fuzzing;
import dev.caisson.json.Json;
import dev.caisson.json.JsonException;
import dev.caisson.linux.DeviceNumber;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever an image brings: archives, their compression, names, manifests and configs. */
@Tag("fuzz")
class ImageFuzzTest {
  /** Small, so that a bomb is one soon. */
  private static final LayerLimits LIMITS =
      LayerLimits.USUAL.withStreamBytes(1 << 20).withEntries(1_000);

  @Test
  void archives() throws IOException {
    Fuzzing.of("tar archives", List.of(tar()))
        .refusedBy(IOException.class, IllegalArgumentException.class)
        .run(ImageFuzzTest::readArchive);
  }

  @Test
  void archivesWithRightSums() throws IOException {
    Fuzzing.of("tar archives with right sums", List.of(tar()))
        .refusedBy(IOException.class, IllegalArgumentException.class)
        .run(input -> readArchive(withRightSums(input)));
  }

  @Test
  void compressedStreams() throws IOException {
    Fuzzing.of("gzip and zstd", List.of(gzip(tar()), Zstd.compress(tar()), gzip(new byte[0])))
        .refusedBy(IOException.class)
        .run(input -> {
          try (var stream = Compression.open(new ByteArrayInputStream(input), LIMITS).stream()) {
            readAtMost(stream, 1 << 20);
          }
        });
  }

  @Test
  void references() {
    Fuzzing.ofTexts(
            "references",
            "busybox",
            "localhost:5000/a/b-c.d__e:1.0",
            "docker.io/library/box@sha256:" + "ab".repeat(32))
        .refusedBy(IllegalArgumentException.class)
        .texts(text -> Reference.parse(Reference.parse(text).toString()));
  }

  @Test
  void platforms() {
    Fuzzing.ofTexts("platforms", "linux/amd64", "linux/arm64/v8")
        .refusedBy(IllegalArgumentException.class)
        .texts(Platform::parse);
  }

  @Test
  void manifests() {
    var digest = "sha256:" + "cd".repeat(32);
    Fuzzing.ofTexts(
            "manifests and lists",
            """
            {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
             "config": {"mediaType": "application/vnd.oci.image.config.v1+json",
               "digest": "%1$s", "size": 7},
             "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip",
               "digest": "%1$s", "size": 100, "annotations": {"a": "b"}, "urls": ["http://x/"]}]}
            """
                .formatted(digest),
            """
            {"schemaVersion": 2, "manifests": [{"digest": "%1$s", "size": 3,
             "mediaType": "application/vnd.oci.image.manifest.v1+json",
             "platform": {"os": "linux", "architecture": "amd64", "variant": "v2"}}]}
            """
                .formatted(digest))
        .refusedBy(JsonException.class, IllegalArgumentException.class)
        .texts(text -> {
          if (text.contains("manifests")) {
            Json.read(text, Index.class).manifests().forEach(Platform::of);
          } else {
            Json.read(text, Manifest.class).layers().forEach(layer -> layer.annotation("a"));
          }
        });
  }

  @Test
  void configs() {
    Fuzzing.ofTexts(
            "configs",
            """
            {"created": "2024-01-01T00:00:00Z", "architecture": "amd64", "os": "linux",
             "config": {"User": "1000", "ExposedPorts": {"80/tcp": {}}, "Env": ["A=b"],
               "Entrypoint": ["/bin/sh"], "Cmd": ["-c"], "Volumes": {"/data": {}},
               "WorkingDir": "/", "Labels": {"x": "y"}, "StopSignal": "SIGTERM"},
             "rootfs": {"type": "layers", "diff_ids": ["sha256:%1$s", "sha256:%1$s"]},
             "history": [{"created_by": "x", "empty_layer": true}]}
            """
                .formatted("ef".repeat(32)))
        .refusedBy(JsonException.class, IllegalArgumentException.class)
        .texts(text -> {
          var config = Json.read(text, ImageConfig.class);
          Platform.of(config);
          Image.ChainId.of(config.rootfs().diffIds());
        });
  }

  private static void readArchive(byte[] archive) throws IOException {
    var reader = new TarReader(new ByteArrayInputStream(archive), LIMITS);
    for (var entry = reader.next(); entry.isPresent(); entry = reader.next()) {
      EntryPath.of(entry.get().path());
      readAtMost(reader.content(), 1 << 16);
    }
    reader.drain();
  }

  private static void readAtMost(InputStream stream, long most) throws IOException {
    var buffer = new byte[8 << 10];
    long size = 0;
    for (int n; size < most && (n = stream.read(buffer)) >= 0; ) {
      size += n;
    }
  }

  /** Headers whose sums are right count; otherwise most changes end at the first check. */
  private static byte[] withRightSums(byte[] archive) {
    for (int at = 0; at + 512 <= archive.length; at += 512) {
      int sum = 8 * ' ';
      for (int i = 0; i < 512; i++) {
        sum += i >= 148 && i < 156 ? 0 : archive[at + i] & 0xff;
      }
      if (archive[at + 257] == 'u' && archive[at + 258] == 's') {
        System.arraycopy(Fuzzing.bytes("%06o\0 ".formatted(sum)), 0, archive, at + 148, 8);
      }
    }
    return archive;
  }

  private static byte[] tar() throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var archive = new TarWriter(bytes)) {
      add(archive, "dir/", TarEntry.Type.DIRECTORY, "", 0);
      add(archive, "dir/file", TarEntry.Type.FILE, "", 700);
      add(archive, "long/" + "n".repeat(200), TarEntry.Type.FILE, "", 3);
      add(archive, "link", TarEntry.Type.SYMBOLIC_LINK, "../" + "t".repeat(150), 0);
      add(archive, "hard", TarEntry.Type.HARD_LINK, "dir/file", 0);
      add(archive, "fifo", TarEntry.Type.FIFO, "", 0);
      add(archive, "dev", TarEntry.Type.CHARACTER_DEVICE, "", 0);
    }
    return bytes.toByteArray();
  }

  private static void add(
      TarWriter archive, String path, TarEntry.Type type, String target, int size)
      throws IOException {
    var attributes = new TreeMap<String, byte[]>();
    attributes.put("user.note", new byte[] {1, 2, 3});
    archive.add(
        new TarEntry(
            path,
            type,
            target,
            0644,
            1000,
            3_000_000,
            size,
            Instant.ofEpochSecond(1_000_000_000, 7),
            DeviceNumber.NONE,
            attributes,
            List.of()),
        new ByteArrayInputStream(new byte[size]));
  }

  private static byte[] gzip(byte[] content) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var stream = new GZIPOutputStream(bytes)) {
      stream.write(content);
    }
    return bytes.toByteArray();
  }
}
