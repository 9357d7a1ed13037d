package dev.caisson.system.images;

import static dev.caisson.system.TestNode.BUSYBOX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.caisson.library.ContainerSettings;
import dev.caisson.system.Leftovers;
import dev.caisson.system.Ran;
import dev.caisson.system.TestNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images in directories: OCI layouts as skopeo and others make and read them. */
@Tag("root")
class LayoutDirectoriesIT {
  private static final Map<String, String> PATH =
      Map.of("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", "HOME", "/root");

  @TempDir private Path folder;

  private TestNode node;

  @BeforeEach
  void open() throws Exception {
    node = TestNode.open();
    node.run("true");
    assertThat(node.cli("tag", BUSYBOX, "example.org/box:1").status()).isZero();
  }

  @AfterEach
  void close() {
    node.close();
  }

  @Test
  void aLayoutThatSkopeoMadeIsLoadedAndRuns() throws Exception {
    assumeSkopeo();
    var archive = folder.resolve("box.tar");
    var layout = folder.resolve("layout");
    succeeds(node.cli("save", "-o", archive.toString(), "example.org/box:1"));
    skopeo("docker-archive:" + archive, "oci:" + layout + ":example.org/skopeo:2");

    try (var other = TestNode.open()) {
      var loaded = other.cli("load", "-i", layout.toString());

      assertThat(loaded.out()).as(loaded.err()).isEqualTo("Loaded image: example.org/skopeo:2\n");
      var settings = ContainerSettings.of("example.org/skopeo:2", "echo", "it runs");
      assertThat(other.run(settings).stdout()).isEqualTo("it runs\n");
    }
  }

  @Test
  void aLayoutSavedHereIsReadBySkopeoAndByUs() throws Exception {
    var layout = folder.resolve("layout");

    succeeds(node.cli("save", "--format", "oci-dir", "-o", layout.toString(), "example.org/box:1"));

    assertThat(layout.resolve("oci-layout")).exists();
    assertThat(layout.resolve("blobs/sha256")).isNotEmptyDirectory();
    try (var other = TestNode.open()) {
      assertThat(other.cli("load", "-i", layout.toString()).out())
          .isEqualTo("Loaded image: example.org/box:1\n");
      assertThat(other.caisson().images().list().getFirst().id())
          .isEqualTo(node.caisson().images().list().getFirst().id());
    }
    assumeSkopeo();
    skopeo("oci:" + layout + ":example.org/box:1", "dir:" + folder.resolve("copy"));
  }

  @Test
  void furtherImagesGoIntoALayoutThatIsThere() throws Exception {
    var layout = folder.resolve("layout");
    succeeds(node.cli("tag", BUSYBOX, "example.org/box:2"));
    for (var name : List.of("example.org/box:1", "example.org/box:2", "example.org/box:2")) {
      succeeds(node.cli("save", "--format", "oci-dir", "-o", layout.toString(), name));
    }

    try (var other = TestNode.open()) {
      assertThat(other.cli("load", "-i", layout.toString()).out().lines())
          .containsExactlyInAnyOrder(
              "Loaded image: example.org/box:1", "Loaded image: example.org/box:2");
    }
  }

  @Test
  void aDirectoryThatHoldsSomethingElseIsLeftAlone() throws Exception {
    Files.writeString(folder.resolve("diary"), "mine");

    var saved =
        node.cli("save", "--format", "oci-dir", "-o", folder.toString(), "example.org/box:1");
    var loaded = node.cli("load", "-i", folder.toString());

    assertThat(saved.status()).isEqualTo(1);
    assertThat(saved.err()).contains("something else than an OCI layout");
    assertThat(loaded.status()).isEqualTo(1);
    assertThat(loaded.err()).contains("blobs/sha256");
    assertThat(folder.toFile().list()).containsExactly("diary");
  }

  @Test
  void aLayoutWithADamagedBlobIsRefusedAndLeavesNothing() throws Exception {
    var layout = folder.resolve("layout");
    succeeds(node.cli("save", "--format", "oci-dir", "-o", layout.toString(), "example.org/box:1"));
    try (var blobs = Files.newDirectoryStream(layout.resolve("blobs/sha256"))) {
      Files.writeString(blobs.iterator().next(), "something else");
    }
    var before = Leftovers.before(node);

    var loaded = node.cli("load", "-i", layout.toString());

    assertThat(loaded.status()).isEqualTo(1);
    assertThat(loaded.err()).contains("has the digest");
    before.assertNone();
  }

  @Test
  void theSizeShownIsThatOfTheUnpackedImage() throws Exception {
    var content = Files.createDirectory(folder.resolve("content"));
    Files.write(
        content.resolve("zeros.txt"),
        "0123456789".repeat(300_000).getBytes(StandardCharsets.UTF_8));
    var layer = folder.resolve("layer.tar");
    assertThat(
            Ran.of(PATH, List.of("tar", "-cf", layer.toString(), "-C", content.toString(), "."))
                .status())
        .isZero();
    var layout = folder.resolve("layout");
    assumeThat(Files.isExecutable(Path.of("/usr/bin/umoci")))
        .as("umoci: is not there; install package umoci")
        .isTrue();
    succeeds(umoci("init", "--layout", layout.toString()));
    succeeds(umoci("new", "--image", layout + ":example.org/sized:1"));
    succeeds(
        umoci("raw", "add-layer", "--image", layout + ":example.org/sized:1", layer.toString()));

    succeeds(node.cli("load", "-i", layout.toString()));

    var shown =
        node.cli("images", "--format", "{{.Size}} {{.BlobSize}}", "example.org/sized").out();
    assertThat(shown).startsWith("3MB ").doesNotContain("MB 3MB");
    assertThat(node.cli("inspect", "example.org/sized:1").out())
        .contains("\"unpackedBytes\" : 3", "\"bytes\"");
  }

  private static Ran umoci(String... arguments) throws Exception {
    return run("umoci", arguments);
  }

  private static void skopeo(String from, String to) throws Exception {
    succeeds(run("skopeo", "copy", "--insecure-policy", from, to));
  }

  private static Ran run(String program, String... arguments) throws Exception {
    var command = new ArrayList<>(List.of(program));
    command.addAll(List.of(arguments));
    return Ran.of(PATH, command);
  }

  private static void succeeds(Ran ran) {
    assertThat(ran.status()).as(ran.err()).isZero();
  }

  private static void assumeSkopeo() {
    assumeThat(Files.isExecutable(Path.of("/usr/bin/skopeo")))
        .as("skopeo: is not there; install package skopeo")
        .isTrue();
  }
}
