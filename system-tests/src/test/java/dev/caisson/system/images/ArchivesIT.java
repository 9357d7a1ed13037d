package dev.caisson.system.images;

import static dev.caisson.system.TestNode.BUSYBOX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.Images.ArchiveFormat;
import dev.caisson.library.Reason;
import dev.caisson.system.TestNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Images that leave a node as an archive and come to another. */
@Tag("root")
class ArchivesIT {
  private TestNode node;

  @BeforeEach
  void open() {
    node = TestNode.open();
  }

  @AfterEach
  void close() {
    node.close();
  }

  @ParameterizedTest
  @EnumSource(ArchiveFormat.class)
  void anImageSavedHereRunsThere(ArchiveFormat format) {
    node.run("true");
    node.caisson().images().tag(BUSYBOX, "example.org/box:1");
    var archive = new ByteArrayOutputStream();
    node.caisson().images().save(List.of("example.org/box:1"), format, archive);

    try (var other = TestNode.open()) {
      var loaded = other.caisson().images().load(new ByteArrayInputStream(archive.toByteArray()));

      assertThat(loaded.names()).containsExactly("example.org/box:1");
      assertThat(
              other
                  .run(ContainerSettings.of("example.org/box:1", "cat", "/etc/nsswitch.conf"))
                  .stdout())
          .isEqualTo("hosts: files dns\n");
      assertThat(other.caisson().images().list().getFirst().id())
          .isEqualTo(node.caisson().images().list().getFirst().id());
    }
  }

  @Test
  void whatIsNoArchiveIsRefusedAndLeavesNothing() {
    assertThatThrownBy(
            () -> node.caisson().images().load(new ByteArrayInputStream(new byte[100_000])))
        .isInstanceOf(CaissonException.class);
    assertThat(node.caisson().images().list()).isEmpty();
    assertThat(node.directory().resolve("content/incoming")).isEmptyDirectory();
  }

  @Test
  void anImageInUseIsNotRemovedAndAnUnusedOneIsPruned() {
    var id = node.containers().create(ContainerSettings.of(BUSYBOX, "true")).id();

    assertThatThrownBy(() -> node.caisson().images().remove(BUSYBOX, false))
        .isInstanceOfSatisfying(
            CaissonException.class, e -> assertThat(e.reason()).isEqualTo(Reason.WRONG_STATE));
    assertThat(node.caisson().images().prune(true).removed()).isEmpty();
    node.containers().remove(id, false);
    assertThat(node.caisson().images().prune(true).removed()).contains(BUSYBOX);
    assertThat(node.caisson().images().list()).isEmpty();
    assertThat(node.run("echo made again").stdout()).isEqualTo("made again\n");
  }
}
