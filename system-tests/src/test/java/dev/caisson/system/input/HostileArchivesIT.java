package dev.caisson.system.input;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.system.Leftovers;
import dev.caisson.system.TestNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Images that are damaged or made to do harm: refused as a whole, nothing left of them. */
@Tag("root")
class HostileArchivesIT {
  private static TestNode node;

  @TempDir private Path folder;

  private Leftovers leftovers;

  @BeforeAll
  static void open() throws Exception {
    node = TestNode.open();
    node.run("true");
    // What a load needs is opened once.
    node.cli("load", "-i", "/proc/self/cmdline");
  }

  @AfterAll
  static void close() {
    node.close();
  }

  @BeforeEach
  void lookBefore() {
    leftovers = Leftovers.before(node);
  }

  @AfterEach
  void nothingIsLeftOver() throws Exception {
    assertThat(node.cli("images", "-q").out().lines()).hasSize(1);
    leftovers.assertNone();
  }

  @Test
  void aLayerThatIsNotWhatTheConfigSaysIsRefused() throws Exception {
    var layer = Files.readAllBytes(layer("file"));

    assertRefused(
        TestImages.archiveOfLayer(folder, layer, TestImages.sha256(new byte[1])),
        TestImages.sha256(layer));
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "gzip", "zstd"})
  void aLayerThatIsCutOffIsRefused(String compression) throws Exception {
    var layer = layer("file");
    if (!compression.equals("none")) {
      run(compression, "-q", "-f", layer.toString());
      layer = Path.of(layer + (compression.equals("gzip") ? ".gz" : ".zst"));
    }
    var whole = Files.readAllBytes(layer);

    assertRefused(
        TestImages.archiveOfLayer(folder, Arrays.copyOf(whole, whole.length / 2)), "layer");
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.1, 0.5, 0.9})
  void anArchiveThatIsCutOffIsRefused(double part) throws Exception {
    var archive = TestImages.archiveOfLayer(folder, Files.readAllBytes(layer("file")));
    var whole = Files.readAllBytes(archive);
    Files.write(archive, Arrays.copyOf(whole, (int) (whole.length * part)));

    assertRefused(archive, "load an archive");
  }

  @ParameterizedTest
  @ValueSource(strings = {"../../escape", "/../../escape", "a/../../../escape"})
  void aPathThatLeavesTheLayerGoesNowhere(String path) throws Exception {
    var target = folder.resolve("escape");
    Files.writeString(target, "mine");
    var layer = folder.resolve("layer.tar");
    Files.createDirectories(folder.resolve("in/a"));
    Files.writeString(folder.resolve("in/file"), "theirs");
    run(
        "tar",
        "-cf",
        layer.toString(),
        "-P",
        "-C",
        folder.resolve("in").toString(),
        "--transform",
        "s|^file$|" + path + "|",
        "file");

    var ran =
        node.cli(
            "load", "-i", TestImages.archiveOfLayer(folder, Files.readAllBytes(layer)).toString());

    assertThat(ran.err()).doesNotContain("Exception", "defect");
    assertThat(target).hasContent("mine");
    if (ran.status() == 0) {
      // Taken as a path inside the layer: it is there and nowhere else.
      assertThat(node.cli("rmi", "example.org/test:1").status()).isZero();
      node.cli("image", "prune", "-f");
    }
  }

  @Test
  void aLinkOutOfTheLayerIsNotFollowed() throws Exception {
    var outside = Files.createDirectory(folder.resolve("outside"));
    var in = Files.createDirectory(folder.resolve("in"));
    Files.createSymbolicLink(in.resolve("door"), outside);
    var layer = folder.resolve("layer.tar");
    run("tar", "-cf", layer.toString(), "-C", in.toString(), "door");
    Files.delete(in.resolve("door"));
    Files.createDirectory(in.resolve("door"));
    Files.writeString(in.resolve("door/thief"), "theirs");
    run("tar", "-rf", layer.toString(), "-C", in.toString(), "door/thief");

    var ran =
        node.cli(
            "load", "-i", TestImages.archiveOfLayer(folder, Files.readAllBytes(layer)).toString());

    assertThat(outside).isEmptyDirectory();
    if (ran.status() == 0) {
      node.cli("rmi", "example.org/test:1");
      node.cli("image", "prune", "-f");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "{}",
        "[{}]",
        "[{\"Config\": \"nosuch.json\", \"Layers\": []}]",
        "[{\"Config\": \"../../../../etc/passwd\", \"Layers\": []}]",
        "[{\"Config\": \"config.json\", \"RepoTags\": [\"UPPER/Case\"], \"Layers\": []}]",
        "[{\"Config\": \"config.json\", \"RepoTags\": [\"a\\u001b[2J\"], \"Layers\": []}]",
        "[{\"Config\": 7, \"Layers\": {}}]",
        "not json",
        ""
      })
  void aListOfImagesThatIsWrongIsRefused(String list) throws Exception {
    var image = Files.createDirectory(folder.resolve("image"));
    Files.writeString(image.resolve("manifest.json"), list);
    Files.writeString(image.resolve("config.json"), "{\"rootfs\": {\"diff_ids\": []}}");
    var archive = folder.resolve("image.tar");
    TestImages.tar(archive, image, "manifest.json", "config.json");

    var ran = node.cli("load", "-i", archive.toString());

    assertThat(ran.err()).doesNotContain("Exception", "defect", "\u001b");
    assertThat(ran.out()).doesNotContain("\u001b");
    assertThat(ran.status()).as(ran.err()).isEqualTo(1);
  }

  private Path layer(String name) throws Exception {
    var in = Files.createDirectory(folder.resolve("content"));
    Files.write(in.resolve(name), new byte[300_000]);
    var layer = folder.resolve("content.tar");
    run("tar", "-cf", layer.toString(), "-C", in.toString(), name);
    return layer;
  }

  private static void assertRefused(Path archive, String named) throws Exception {
    var ran = node.cli("load", "-i", archive.toString());

    assertThat(ran.status()).as(ran.out()).isEqualTo(1);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err()).startsWith("caisson: ").contains(named);
    assertThat(ran.err()).doesNotContain("Exception", "defect");
  }

  private static void run(String... command) throws Exception {
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }
}
