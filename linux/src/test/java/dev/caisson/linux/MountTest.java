package dev.caisson.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MountTest {
  @TempDir Path temporary;
  private Path place;
  private Mount own;

  @BeforeEach
  void mountPrivateDirectory() throws IOException {
    place = Files.createDirectory(temporary.resolve("place"));
    own = Mount.attach("test", place, "tmpfs", Set.of(), "size=16m,mode=755");
    Mount.propagate(place, Propagation.PRIVATE);
  }

  @AfterEach
  void unmountAll() throws IOException {
    for (MountInfo mount : MountTable.read().within(temporary.toRealPath())) {
      Mount.detach(mount.target());
    }
    own.close();
    assertThat(MountTable.read().within(temporary.toRealPath())).isEmpty();
  }

  @Test
  void aMountShowsInTheTableUntilItIsClosed() throws IOException {
    var mount = MountTable.read().at(place.toRealPath()).orElseThrow();

    assertThat(mount.type()).isEqualTo("tmpfs");
    assertThat(mount.source()).isEqualTo("test");
    assertThat(mount.superOptions()).contains("size=16384k");
    assertThat(mount.propagation()).isEmpty();
    assertThat(FileSystemStatus.of(place).magic()).isEqualTo(FileSystemStatus.TMPFS);

    own.close();
    own.close();

    assertThat(MountTable.read().at(place.toRealPath())).isEmpty();
  }

  @Test
  void aMountInUseIsDetachedOnClose() throws IOException {
    Files.writeString(place.resolve("file"), "text");
    try (var open = Files.newInputStream(place.resolve("file"))) {
      var failure = catchThrowableOfType(KernelException.class, () -> Mount.unmount(place));
      assertThat(failure.errno()).isEqualTo(Errno.EBUSY);

      own.close();

      assertThat(open.readAllBytes()).asString().isEqualTo("text");
    }
    assertThat(MountTable.read().at(place.toRealPath())).isEmpty();
  }

  @Test
  void aBindMadeReadOnlyRefusesWrites() throws IOException {
    Path source = Files.createDirectory(place.resolve("source"));
    Path target = Files.createDirectory(place.resolve("name with blank"));

    try (var bind = Mount.bind(source, target)) {
      Mount.changeFlags(target, EnumSet.of(MountFlag.READ_ONLY, MountFlag.NO_SUID));

      var info = MountTable.read().at(bind.target().toRealPath()).orElseThrow();
      assertThat(info.options()).contains("ro", "nosuid");
      try (var handle = DirectoryHandle.open(target)) {
        var failure = catchThrowableOfType(KernelException.class, () -> handle.create("x", 0600));
        assertThat(failure.errno()).isEqualTo(Errno.EROFS);
      }
    }
    Files.writeString(source.resolve("x"), "");
  }

  @Test
  void anOverlayShowsUpperOverLower() throws IOException {
    Path lower = directory("lower, with:odd\\name");
    Files.writeString(lower.resolve("a"), "lower");
    Files.writeString(lower.resolve("b"), "lower");
    Path upper = directory("upper");
    Path target = directory("target");
    var writable = new Overlay.Writable(upper, directory("work"));
    var overlay = new Overlay(List.of(lower), Optional.of(writable), Set.of());

    try (var _ = overlay.mount(target, Set.of())) {
      Files.writeString(target.resolve("a"), "upper");
      Files.delete(target.resolve("b"));

      assertThat(target.resolve("b")).doesNotExist();
      assertThat(FileSystemStatus.of(target).magic()).isEqualTo(FileSystemStatus.OVERLAY);
    }

    assertThat(lower.resolve("a")).hasContent("lower");
    assertThat(upper.resolve("a")).hasContent("upper");
    try (var handle = DirectoryHandle.open(upper)) {
      assertThat(handle.status("b").kind()).isEqualTo(FileKind.CHARACTER_DEVICE);
    }
  }

  @Test
  void anOverlayOfManyLayersWithLongNamesMounts() throws IOException {
    var lowers = new ArrayList<Path>();
    for (int i = 0; i < 120; i++) {
      Path lower = directory("layers/" + "n".repeat(100) + i);
      Files.writeString(lower.resolve("f" + i), "");
      lowers.add(lower);
    }
    Path target = directory("target");
    var writable = new Overlay.Writable(directory("upper"), directory("work"));
    var overlay = new Overlay(lowers, Optional.of(writable), Set.of("index=off"));

    try (var _ = overlay.mount(target, EnumSet.of(MountFlag.NO_DEVICES))) {
      try (var names = Files.list(target)) {
        assertThat(names).hasSize(120);
      }
      assertThat(MountTable.read().at(target.toRealPath()).orElseThrow().options())
          .contains("nodev");
    }
  }

  @Test
  void anUnsuitableUpperDirectoryIsNamed() throws IOException {
    Path target = directory("target");
    var writable = new Overlay.Writable(directory("upper"), directory("upper/work"));
    var overlay = new Overlay(List.of(directory("lower")), Optional.of(writable), Set.of());

    var failure =
        catchThrowableOfType(KernelException.class, () -> overlay.mount(target, Set.of()));

    assertThat(failure).hasMessageContaining(target.toString()).hasMessageContaining("EINVAL");
  }

  @Test
  void linesOfTheTableAreUnderstood() {
    var table =
        MountTable.parse(
            """
            36 35 98:0 /mnt1 /mnt\\0402 rw,noatime master:1 shared:7 - ext3 /dev/root rw,errors=continue
            40 36 0:40 / /mnt\\0402/x ro - tmpfs none rw
            """);

    var first = table.mounts().getFirst();
    assertThat(first.target()).isEqualTo(Path.of("/mnt 2"));
    assertThat(first.propagation()).containsExactly("master:1", "shared:7");
    assertThat(first.root()).isEqualTo("/mnt1");
    assertThat(first.device()).isEqualTo(new DeviceNumber(98, 0));
    assertThat(first.superOptions()).isEqualTo("rw,errors=continue");
    assertThat(table.within(Path.of("/mnt 2"))).extracting(MountInfo::id).containsExactly(40, 36);
    assertThat(table.holding(Path.of("/mnt 2/x/y"))).map(MountInfo::id).contains(40);
  }

  private Path directory(String name) throws IOException {
    return Files.createDirectories(place.resolve(name));
  }
}
