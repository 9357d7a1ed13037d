package dev.caisson.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.json.Json;
import dev.caisson.linux.DeviceNumber;
import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.Mount;
import dev.caisson.linux.MountTable;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("root")
class ArchiveTest {
  private static final byte[] LAYER = LayerText.layer("file a 0644 \"a\"");
  private static final String NAME = "docker.io/example/app:1";

  @TempDir Path temporary;
  private Images images;

  @BeforeEach
  void open() throws IOException {
    images = Images.open(temporary.resolve("root"));
  }

  @AfterEach
  void removeAll() throws IOException {
    for (var mount : MountTable.read().within(temporary.toRealPath())) {
      Mount.detach(mount.target());
    }
    try (var handle = DirectoryHandle.open(temporary)) {
      handle.removeChildren();
    }
  }

  @Test
  @Tag("case-19")
  void aLayerThatIsALinkToAnotherIsLoaded() throws IOException {
    var archive =
        new Archive()
            .file("manifest.json", manifest("one/layer.tar", "two/layer.tar"))
            .file("cfg.json", config(2))
            .link("two/layer.tar", "../one/layer.tar")
            .file("one/layer.tar", LAYER)
            .bytes();

    assertThat(images.load(new ByteArrayInputStream(archive)).names()).containsExactly(NAME);

    var image = images.get("example/app:1");
    assertThat(image.layers()).hasSize(2);
    Path target = temporary.toRealPath().resolve("rootfs");
    images.layers().mount(image.layers(), temporary.resolve("changes"), target);
    assertThat(target.resolve("a")).hasContent("a");
    images.layers().unmount(target);
  }

  @Test
  @Tag("case-19")
  void aLinkThatLeavesTheArchiveOrGoesInACircleIsRefusedByName() throws IOException {
    var leaving =
        new Archive()
            .file("manifest.json", manifest("one/layer.tar", "two/layer.tar"))
            .file("cfg.json", config(2))
            .link("two/layer.tar", "../../outside.tar")
            .file("one/layer.tar", LAYER)
            .bytes();
    var circle =
        new Archive()
            .file("manifest.json", manifest("one/layer.tar", "two/layer.tar"))
            .file("cfg.json", config(2))
            .link("two/layer.tar", "../one/layer.tar")
            .link("one/layer.tar", "../two/layer.tar")
            .bytes();

    assertThatThrownBy(() -> images.load(new ByteArrayInputStream(leaving)))
        .isInstanceOf(ImageException.class)
        .hasMessageContaining("two/layer.tar");
    assertThatThrownBy(() -> images.load(new ByteArrayInputStream(circle)))
        .isInstanceOf(ImageException.class)
        .hasMessageContaining("one/layer.tar")
        .hasMessageContaining("circle");

    assertThat(images.all()).isEmpty();
    assertThat(temporary.resolve("root/content/sha256")).isEmptyDirectory();
  }

  @ParameterizedTest
  @EnumSource
  void whatIsSavedIsLoadedElsewhere(Images.Format format) throws IOException {
    var builtin = images.get(BuiltinBusybox.NAME);
    images.tag(BuiltinBusybox.NAME, "example.test/box:2");
    var archive = save(format, "example.test/box:2");
    var other = Images.open(temporary.resolve("other"));

    assertThat(other.load(new ByteArrayInputStream(archive)).names())
        .containsExactly("example.test/box:2");

    assertThat(other.get("example.test/box:2").id()).isEqualTo(builtin.id());
    assertThat(other.get("example.test/box:2").layers()).isEqualTo(builtin.layers());
    assertThat(save(format, "example.test/box:2")).isEqualTo(archive);
  }

  @ParameterizedTest
  @EnumSource
  void otherProgramsReadWhatIsSaved(Images.Format format) throws Exception {
    images.get(BuiltinBusybox.NAME);
    images.tag(BuiltinBusybox.NAME, "example.test/box:2");
    Path file = Files.write(temporary.resolve("saved.tar"), save(format, "example.test/box:2"));
    String transport = format == Images.Format.OCI ? "oci-archive:" : "docker-archive:";

    Path copy = temporary.resolve("copy.tar");
    run("skopeo", "copy", transport + file, "oci-archive:" + copy + ":example.test/copy:1");

    try (var archive = Files.newInputStream(copy)) {
      assertThat(images.load(archive).names()).containsExactly("example.test/copy:1");
    }
    assertThat(images.get("example.test/copy:1").config().rootfs().diffIds())
        .isEqualTo(images.get(BuiltinBusybox.NAME).config().rootfs().diffIds());
  }

  @Test
  void theBuiltinImageIsTheSameEachTime() throws IOException {
    var other = Images.open(temporary.resolve("other"));

    assertThat(other.get(BuiltinBusybox.NAME).target())
        .isEqualTo(images.get(BuiltinBusybox.NAME).target());
  }

  @Test
  @Tag("case-15")
  void nothingIsImportedFromAnArchiveWithADamagedLayer() throws IOException {
    var archive =
        new Archive()
            .file("cfg.json", config(1))
            .file("one/layer.tar", Arrays.copyOf(LAYER, 700))
            .file("manifest.json", manifest("one/layer.tar"))
            .bytes();

    assertThatThrownBy(() -> images.load(new ByteArrayInputStream(archive)))
        .isInstanceOf(ImageException.class)
        .hasMessageContaining("offset 700");

    assertThat(images.all()).isEmpty();
    assertThat(temporary.resolve("root/content/sha256")).isEmptyDirectory();
  }

  @Test
  void somethingElseIsRefusedWithWhatWasWanted() {
    assertThatThrownBy(() -> images.load(new ByteArrayInputStream(LAYER)))
        .isInstanceOf(ImageException.class)
        .hasMessageContaining("docker save");
    assertThatThrownBy(() ->
            images.load(
                new ByteArrayInputStream("text".repeat(500).getBytes(StandardCharsets.UTF_8))))
        .isInstanceOf(ImageException.class);
  }

  @Test
  void aBlobThatIsNotWhatItsNameSaysIsRefused() throws IOException {
    var archive = new Archive().file("blobs/sha256/" + "0".repeat(64), LAYER).bytes();

    assertThatThrownBy(() -> images.load(new ByteArrayInputStream(archive)))
        .isInstanceOf(ImageException.class)
        .hasMessageContaining(Digest.of(LAYER).value());
  }

  @Test
  void pruningRemovesWhatNoNameLeadsTo() throws IOException {
    var builtin = images.get(BuiltinBusybox.NAME);
    assertThat(images.prune(_ -> false, Set.of()).blobs()).isEmpty();
    images.remove(BuiltinBusybox.NAME);

    var kept = images.prune(_ -> false, Set.copyOf(builtin.layers()));
    assertThat(kept.blobs()).hasSize(3);
    assertThat(images.layers().has(builtin.layers().getLast())).isTrue();

    var rest = images.prune(_ -> true, Set.of());
    assertThat(rest.bytes()).isGreaterThan(1 << 20);
    assertThat(images.layers().has(builtin.layers().getLast())).isFalse();
  }

  private byte[] save(Images.Format format, String name) throws IOException {
    var bytes = new ByteArrayOutputStream();
    images.save(List.of(name), format, bytes);
    return bytes.toByteArray();
  }

  private static byte[] manifest(String... layers) {
    return Json.write(
        List.of(
            Map.of(
                "Config",
                "cfg.json",
                "RepoTags",
                List.of("example/app:1"),
                "Layers",
                List.of(layers))));
  }

  private static byte[] config(int layers) {
    var diffIds = Collections.nCopies(layers, Digest.of(LAYER));
    return Json.write(
        new ImageConfig(
            Optional.empty(),
            Architecture.own(),
            "linux",
            Optional.empty(),
            new ImageConfig.RootFs("layers", diffIds),
            Map.of()));
  }

  private static void run(String... command) throws Exception {
    var process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
  }

  /** An archive that is put together file by file. */
  private static final class Archive {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final TarWriter writer = new TarWriter(bytes);

    Archive file(String path, byte[] content) throws IOException {
      writer.add(
          entry(path, TarEntry.Type.FILE, "", content.length), new ByteArrayInputStream(content));
      return this;
    }

    Archive link(String path, String target) throws IOException {
      writer.add(entry(path, TarEntry.Type.SYMBOLIC_LINK, target, 0));
      return this;
    }

    byte[] bytes() throws IOException {
      writer.close();
      return bytes.toByteArray();
    }

    private static TarEntry entry(String path, TarEntry.Type type, String target, long size) {
      return new TarEntry(
          path,
          type,
          target,
          0644,
          0,
          0,
          size,
          Instant.EPOCH,
          DeviceNumber.NONE,
          new TreeMap<>(),
          List.of());
    }
  }
}
