package dev.caisson.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DirectoryHandleTest {
  @TempDir Path temporary;
  private Path inside;
  private Path outside;
  private DirectoryHandle root;

  @BeforeEach
  void open() throws IOException {
    inside = Files.createDirectory(temporary.resolve("inside"));
    outside = Files.createDirectory(temporary.resolve("outside"));
    Files.writeString(outside.resolve("secret"), "s3cret");
    root = DirectoryHandle.open(inside);
  }

  @AfterEach
  void removeAll() throws IOException {
    root.close();
    try (var handle = DirectoryHandle.open(temporary)) {
      handle.removeChildren();
    }
  }

  @Test
  @Tag("case-107")
  void absoluteLinksAreFollowedFromTheRoot() throws IOException {
    Files.createDirectories(inside.resolve("run"));
    Files.createDirectories(inside.resolve("var"));
    Files.createSymbolicLink(inside.resolve("var/run"), Path.of("/run"));

    try (var run = root.descend("var/run");
        var file = run.create("pid", 0644)) {
      assertThat(file.status().mode()).isEqualTo(0644);
    }

    assertThat(inside.resolve("run/pid")).exists();
  }

  @ParameterizedTest
  @ValueSource(strings = {"../outside", "up", "absolute/outside", "../../../../../etc"})
  @Tag("case-105")
  void noPathLeavesTheRoot(String path) throws IOException {
    Files.createSymbolicLink(inside.resolve("up"), Path.of("../outside"));
    Files.createSymbolicLink(inside.resolve("absolute"), temporary);

    var failure = catchThrowableOfType(KernelException.class, () -> root.descend(path));
    assertThat(failure.errno()).isEqualTo(Errno.ENOENT);

    var walked =
        catchThrowableOfType(
            KernelException.class,
            () -> new Descent(root.fd(), "root").walk(path, At.O_RDONLY | At.O_DIRECTORY));
    assertThat(walked.errno()).isEqualTo(Errno.ENOENT);
  }

  @Test
  void aCircleOfLinksEnds() throws IOException {
    Files.createSymbolicLink(inside.resolve("a"), Path.of("/b"));
    Files.createSymbolicLink(inside.resolve("b"), Path.of("/a"));

    var failure = catchThrowableOfType(KernelException.class, () -> root.descend("a/x"));
    var walked =
        catchThrowableOfType(KernelException.class, () -> root.makeDirectories("a/x", 0755));

    assertThat(failure.errno()).isEqualTo(Errno.ELOOP);
    assertThat(walked.errno()).isEqualTo(Errno.ELOOP);
  }

  @Test
  void walkingStepByStepFindsWhatTheKernelFinds() throws IOException {
    Files.createDirectories(inside.resolve("a/b/c"));
    Files.writeString(inside.resolve("a/b/file"), "x");
    Files.createSymbolicLink(inside.resolve("a/up"), Path.of("../a/./b/../b"));
    Files.createSymbolicLink(inside.resolve("a/b/top"), Path.of("/"));

    var descent = new Descent(root.fd(), "root");
    for (String path : new String[] {"a/up/c", "a/up/top/a", "", "..", "a/up/top", "a/up/file"}) {
      int flags = At.O_RDONLY;
      try (var byKernel = descent.open(path, flags);
          var byStep = descent.walk(path, flags)) {
        assertThat(FileStatus.of(byStep, path).inode())
            .as(path)
            .isEqualTo(FileStatus.of(byKernel, path).inode());
      }
    }
  }

  @Test
  void missingDirectoriesAreMadeAlsoBehindLinks() throws IOException {
    Files.createSymbolicLink(inside.resolve("var"), Path.of("/../data/var"));

    root.makeDirectories("var/lib/x", 0700).close();

    assertThat(inside.resolve("data/var/lib/x")).isDirectory();
    assertThat(outside.resolve("lib")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "a/b", "/a"})
  void aNameWithMoreThanOneComponentIsRefused(String name) {
    assertThatThrownBy(() -> root.makeDirectory(name, 0755))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aNameIsNotFollowedIfItIsALink() throws IOException {
    Files.createSymbolicLink(inside.resolve("link"), outside.resolve("secret"));

    assertThat(
            catchThrowableOfType(KernelException.class, () -> root.openHere("link", Access.READ))
                .errno())
        .isEqualTo(Errno.ELOOP);
    assertThat(catchThrowableOfType(KernelException.class, () -> root.create("link", 0644)).errno())
        .isEqualTo(Errno.EEXIST);
    assertThat(catchThrowableOfType(KernelException.class, () -> root.chmod("link", 0777)).errno())
        .isEqualTo(Errno.ELOOP);
    assertThat(root.readLink("link")).isEqualTo(outside.resolve("secret").toString());
  }

  @Test
  void ownerModeAndTimesAreSetExactly() throws IOException {
    var time = Instant.ofEpochSecond(1, 123_456_789);
    root.create("file", 0600).close();
    root.symbolicLink("link", "nowhere");

    root.chown("file", 1000, 2000);
    root.chmod("file", 06751);
    root.setTimes("file", time, time.plusNanos(1));
    root.chown("link", 3, 4);
    root.setTimes("link", time, time);

    var file = root.status("file");
    assertThat(file.uid()).isEqualTo(1000);
    assertThat(file.gid()).isEqualTo(2000);
    assertThat(file.mode()).isEqualTo(06751);
    assertThat(file.accessed()).isEqualTo(time);
    assertThat(file.modified()).isEqualTo(time.plusNanos(1));
    assertThat(root.status("link").uid()).isEqualTo(3);
    assertThat(root.status("link").modified()).isEqualTo(time);
    assertThat(Files.getAttribute(inside.resolve("file"), "unix:uid")).isEqualTo(1000);
  }

  @Test
  void nodesLinksAndRenames() throws IOException {
    root.makeNode("fifo", FileKind.FIFO, 0640, DeviceNumber.NONE);
    root.makeNode("null", FileKind.CHARACTER_DEVICE, 0666, new DeviceNumber(1, 3));
    root.makeNode("whiteout", FileKind.CHARACTER_DEVICE, 0, DeviceNumber.NONE);
    root.makeDirectory("dir", 0755);
    try (var dir = root.child("dir")) {
      dir.hardLink("second", root, "null");
      root.rename("fifo", dir, "moved", Existing.REFUSE);
      assertThatThrownBy(() -> root.rename("null", dir, "second", Existing.REFUSE))
          .hasMessageContaining("EEXIST");

      assertThat(dir.status("second").device()).isEqualTo(new DeviceNumber(1, 3));
      assertThat(dir.status("second").links()).isEqualTo(2);
      assertThat(dir.status("moved").kind()).isEqualTo(FileKind.FIFO);
    }
    assertThat(root.status("whiteout").device()).isEqualTo(DeviceNumber.NONE);
    assertThat(root.entries())
        .containsExactlyInAnyOrder(
            new DirectoryEntry("null", FileKind.CHARACTER_DEVICE),
            new DirectoryEntry("whiteout", FileKind.CHARACTER_DEVICE),
            new DirectoryEntry("dir", FileKind.DIRECTORY));
  }

  @Test
  void attributesOfFilesLinksAndTheDirectoryItself() throws IOException {
    root.create("file", 0600).close();
    root.symbolicLink("link", "file");

    root.setAttribute("file", "user.note", new byte[] {1, 0, 2});
    root.setAttribute("link", "trusted.note", new byte[] {3});
    root.setAttribute("trusted.overlay.opaque", new byte[] {'y'});

    assertThat(root.attribute("file", "user.note")).contains(new byte[] {1, 0, 2});
    assertThat(root.attribute("file", "trusted.note")).isEmpty();
    assertThat(root.attribute("link", "trusted.note")).contains(new byte[] {3});
    assertThat(root.attributeKeys("file")).containsExactly("user.note");
    assertThat(root.attribute("trusted.overlay.opaque")).contains(new byte[] {'y'});
    root.removeAttribute("file", "user.note");
    assertThat(root.attributeKeys("file")).isEmpty();
  }

  @Test
  void aFileWithAHoleTakesNoSpaceForIt() throws IOException {
    try (var arena = Arena.ofConfined();
        var file = root.create("sparse", 0600);
        var copy = root.create("copy", 0600)) {
      var data = arena.allocate(4096).fill((byte) 7);
      file.truncate(1L << 30);
      file.write(data, 1L << 29);

      assertThat(file.status().size()).isEqualTo(1L << 30);
      assertThat(file.status().allocated()).isLessThan(1 << 20);
      assertThat(file.nextData(0)).hasValue(1L << 29);
      assertThat(file.nextHole(1L << 29)).isEqualTo((1L << 29) + 4096);
      assertThat(copy.copyFrom(file, 1L << 29, 0, 4096)).isEqualTo(4096);

      file.punchHole(1L << 29, 4096);

      assertThat(file.nextData(0)).isEmpty();
      assertThat(copy.read(data, 0)).isEqualTo(4096);
    }
  }

  @Test
  void aTreeIsRemovedWithoutFollowingLinks() throws IOException {
    Files.createDirectories(inside.resolve("tree/a/b"));
    Files.createSymbolicLink(inside.resolve("tree/a/out"), outside);
    root.makeNode("fifo", FileKind.FIFO, 0600, DeviceNumber.NONE);

    root.removeTree("tree");
    root.removeTree("fifo");
    root.removeTree("nothing");

    assertThat(inside).isEmptyDirectory();
    assertThat(outside.resolve("secret")).exists();
  }

  @Test
  void aVeryDeepTreeIsRemoved() throws IOException {
    root.makeDirectory("deep", 0755);
    var handle = root.child("deep");
    for (int i = 0; i < 5000; i++) {
      handle.makeDirectory("d", 0755);
      var next = handle.child("d");
      handle.close();
      handle = next;
    }
    handle.create("leaf", 0600).close();
    handle.close();

    root.removeTree("deep");

    assertThat(inside).isEmptyDirectory();
  }

  @Test
  @Tag("case-142")
  void aMountBelowATreeIsNotEntered() throws IOException {
    Files.createDirectories(inside.resolve("tree/mnt"));
    try (var _ = Mount.bind(outside, inside.resolve("tree/mnt"))) {
      var failure = catchThrowableOfType(KernelException.class, () -> root.removeTree("tree"));

      assertThat(failure.errno()).isIn(Errno.EXDEV, Errno.EBUSY);
      assertThat(outside.resolve("secret")).exists();
    }
    root.removeTree("tree");
    assertThat(inside).isEmptyDirectory();
  }

  @Test
  void openingAFifoWithoutAWriterDoesNotBlock() throws IOException {
    root.makeNode("fifo", FileKind.FIFO, 0600, DeviceNumber.NONE);

    try (var file = root.open("fifo", Access.READ)) {
      assertThat(file.status().kind()).isEqualTo(FileKind.FIFO);
    }
  }

  @Test
  @Tag("case-105")
  void swappingDirectoryAndLinkNeverLeadsOutside() throws Exception {
    Files.createDirectory(inside.resolve("swap"));
    root.symbolicLink("other", "../outside");
    var swapper =
        Thread.ofPlatform()
            .start(() -> {
              while (!Thread.currentThread().isInterrupted()) {
                try {
                  root.rename("swap", root, "other", Existing.EXCHANGE);
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              }
            });
    for (int i = 0; i < 5000; i++) {
      try (var directory = root.descend("swap");
          var file = directory.create("f" + i, 0600)) {
        assertThat(file.fd().isOpen()).isTrue();
      } catch (KernelException e) {
        assertThat(e.errno()).isIn(Errno.ENOENT, Errno.EAGAIN);
      }
    }
    swapper.interrupt();
    swapper.join();

    try (var names = Files.list(outside)) {
      assertThat(names.map(p -> p.getFileName().toString())).containsExactly("secret");
    }
  }

  @Test
  void namesThatAreNotUtf8AreKept() throws IOException {
    String name = ByteText.decode(new byte[] {'a', (byte) 0xff, 'b'});

    root.create(name, 0600).close();

    assertThat(root.entries()).extracting(DirectoryEntry::name).containsExactly(name);
    root.remove(name);
  }

  @Test
  void nanosecondsOfDirectoriesAndFreeSpace() throws IOException {
    var time = Instant.ofEpochSecond(-5, 7);

    root.chmod(01777);
    root.setTimes(time, time);
    root.sync();
    root.syncFileSystem();

    assertThat(root.status().mode()).isEqualTo(01777);
    assertThat(root.status().modified()).isEqualTo(time);
    assertThat(FileSystemStatus.of(root).available()).isPositive();
    assertThat(FileSystemStatus.of(Path.of("/proc")).magic()).isEqualTo(FileSystemStatus.PROC);
    assertThat(Files.getPosixFilePermissions(inside, LinkOption.NOFOLLOW_LINKS)).hasSize(9);
    assertThat(Set.copyOf(root.attributeKeys())).isEmpty();
  }
}
