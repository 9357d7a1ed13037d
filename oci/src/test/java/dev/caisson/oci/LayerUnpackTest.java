package dev.caisson.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.linux.DeviceNumber;
import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.FileKind;
import dev.caisson.linux.Mount;
import dev.caisson.linux.Overlay;
import dev.caisson.linux.Undo;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each test runs both ways: layers laid over each other, and all into one directory. */
@Tag("root")
class LayerUnpackTest {
  @TempDir Path temporary;

  @AfterEach
  void removeAll() throws IOException {
    try (var handle = DirectoryHandle.open(temporary)) {
      handle.removeChildren();
    }
  }

  /** Runs the checks on the root that the layers give. */
  private interface Checks {
    void on(Path root, DirectoryHandle handle) throws IOException;
  }

  private void unpack(LayerForm form, List<byte[]> layers, Checks checks) throws IOException {
    if (form.isOverlay()) {
      unpackOverlay(form, layers, checks);
    } else {
      var root = Files.createDirectory(temporary.resolve("root"));
      try (var handle = DirectoryHandle.open(root)) {
        for (byte[] layer : layers) {
          unpacking().ontoTree(new ByteArrayInputStream(layer), handle);
        }
        checks.on(root, handle);
      }
    }
  }

  private void unpackOverlay(LayerForm form, List<byte[]> layers, Checks checks)
      throws IOException {
    var topmostFirst = new ArrayList<Path>();
    for (byte[] layer : layers) {
      var path = Files.createDirectory(temporary.resolve("layer" + topmostFirst.size()));
      try (var handle = DirectoryHandle.open(path);
          var lowers = LowerLayers.open(form, topmostFirst)) {
        unpacking().ontoOverlay(new ByteArrayInputStream(layer), handle, form, lowers);
      }
      topmostFirst.addFirst(path);
    }
    for (String name : List.of("upper", "work", "merged")) {
      Files.createDirectory(temporary.resolve(name));
    }
    var writable = new Overlay.Writable(temporary.resolve("upper"), temporary.resolve("work"));
    try (var undo = new Undo()) {
      var mount =
          undo.own(
              new Overlay(topmostFirst, Optional.of(writable), form.mountOptions())
                  .mount(temporary.resolve("merged"), Set.of()));
      try (var handle = DirectoryHandle.open(mount.target())) {
        checks.on(mount.target(), handle);
      }
    }
  }

  private static Unpacking unpacking() {
    return new Unpacking("test", "", LayerLimits.USUAL);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("case-1")
  void anOpaqueMarkHidesOnlyWhatLowerLayersHave(LayerForm form) throws IOException {
    unpack(
        form,
        LayerText.resource("opaque-mark-last.txt"),
        (root, _) -> {
          assertThat(root.resolve("cfg/svc/v1/new.ini")).hasContent("new");
          assertThat(root.resolve("cfg/svc/v1/old.ini")).doesNotExist();
          assertThat(root.resolve("cfg/.hidden")).doesNotExist();
          assertThat(names(root.resolve("cfg"))).containsExactly("svc");
          assertThat(names(root.resolve("cfg/svc/v1"))).containsExactly("new.ini");
        });
  }

  @ParameterizedTest
  @EnumSource
  void anOpaqueMarkOfTheRootHidesAll(LayerForm form) throws IOException {
    var layers =
        LayerText.layers(
            """
            layer
            file a/b 0644 "old"
            layer
            file c 0644 "new"
            file .wh..wh..opq 0644 ""
            """);
    if (form.isOverlay()) {
      // The root of an overlay shows all layers; the store leaves the lower ones out of the mount.
      return;
    }
    unpack(form, layers, (root, _) -> assertThat(names(root)).containsExactly("c"));
  }

  @ParameterizedTest
  @EnumSource
  @Tag("case-4")
  void missingParentsAreMadeAndDescribedLater(LayerForm form) throws IOException {
    unpack(
        form,
        LayerText.resource("hard-link-without-parent.txt"),
        (root, handle) -> {
          assertThat(inode(root.resolve("opt/tool/prog.files/x/y/prog")))
              .isEqualTo(inode(root.resolve("opt/tool/prog")));
          assertThat(mode(root.resolve("opt/tool/prog.files/x/y"))).isEqualTo(0755);
          assertThat(mode(root.resolve("srv/deep"))).isEqualTo(0711);
          assertThat(Files.readSymbolicLink(root.resolve("usr/x/y/current")))
              .hasToString("../../../opt/tool/prog");
          try (var run = handle.descend("var/run");
              var dev = handle.descend("dev")) {
            assertThat(run.status("pipe").kind()).isEqualTo(FileKind.FIFO);
            assertThat(dev.status("null").device()).isEqualTo(new DeviceNumber(1, 3));
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  @Tag("case-6")
  void theSecondNameOfAHardLinkSurvivesTheFirst(LayerForm form) throws IOException {
    unpack(
        form,
        LayerText.resource("hard-link-first-name-deleted.txt"),
        (root, _) -> {
          assertThat(root.resolve("usr/libexec/tool")).doesNotExist();
          assertThat(names(root.resolve("usr/libexec"))).isEmpty();
          assertThat(root.resolve("usr/bin/tool")).hasContent("tool-body");
          assertThat(Files.readSymbolicLink(root.resolve("usr/bin/tool2"))).hasToString("tool");
        });
  }

  @ParameterizedTest
  @EnumSource
  @Tag("case-7")
  void theLastOfSeveralEntriesWins(LayerForm form) throws IOException {
    unpack(
        form,
        LayerText.resource("duplicate-entries.txt"),
        (root, handle) -> {
          assertThat(root.resolve("etc/app")).hasContent("third");
          assertThat(mode(root.resolve("etc/app"))).isEqualTo(0640);
          assertThat(Files.isDirectory(root.resolve("lib"), LinkOption.NOFOLLOW_LINKS)).isTrue();
          assertThat(root.resolve("usr")).doesNotExist();
          assertThat(root.resolve("lib/a")).hasContent("in-dir");
          assertThat(root.resolve("var")).isDirectory();
          assertThat(Files.isSymbolicLink(root.resolve("tmp"))).isTrue();
          assertThat(mode(root.resolve("lost+found"))).isEqualTo(0700);
          if (!form.isOverlay()) {
            assertThat(handle.status().mode()).isEqualTo(0750);
            assertThat(handle.status().gid()).isEqualTo(8);
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  @Tag("case-9")
  void capabilitiesSurviveAndForeignLabelsAreIgnored(LayerForm form) throws IOException {
    unpack(
        form,
        LayerText.resource("security-attributes.txt"),
        (root, handle) -> {
          try (var bin = handle.descend("bin");
              var etc = handle.descend("etc")) {
            assertThat(bin.attribute("ping", "security.capability")).isPresent();
            assertThat(bin.status("ping").uid()).isEqualTo(100);
            assertThat(etc.attribute("label", "security.selinux")).isEmpty();
            assertThat(etc.attribute("trap", "trusted.overlay.redirect")).isEmpty();
          }
          assertThat(root.resolve("etc/trap")).hasContent("t");
          assertThat(mode(root.resolve("bin/su"))).isEqualTo(04755);
          assertThat(mode(root.resolve("bin/grp"))).isEqualTo(02755);
        });
  }

  @Test
  @Tag("case-9")
  void anAttributeThatCannotBeStoredIsToldOnce() throws IOException {
    Path target = Files.createDirectory(temporary.resolve("small"));
    try (var mount = Mount.attach("test", target, "ramfs", Set.of(), "");
        var handle = DirectoryHandle.open(mount.target())) {
      var layer = LayerText.resource("security-attributes.txt").getFirst();

      var outcome = unpacking().ontoTree(new ByteArrayInputStream(layer), handle);

      assertThat(outcome.warnings())
          .singleElement()
          .asString()
          .contains("security.capability", "bin/ping", target.toString());
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("case-107")
  void linksOfLowerLayersAreFollowedAndStay(LayerForm form) throws IOException {
    unpack(
        form,
        LayerText.resource("common-links.txt"),
        (root, _) -> {
          assertThat(root.resolve("run/job/one")).hasContent("1");
          assertThat(root.resolve("usr/lib/two")).hasContent("2");
          assertThat(root.resolve("usr/bin/three")).hasContent("3");
          assertThat(Files.readSymbolicLink(root.resolve("var/run"))).hasToString("/run");
          assertThat(Files.readSymbolicLink(root.resolve("lib"))).hasToString("usr/lib");
          assertThat(Files.readSymbolicLink(root.resolve("bin"))).hasToString("/usr/bin");
          assertThat(mode(root.resolve("usr/lib"))).isEqualTo(0711);
          assertThat(Files.getAttribute(root.resolve("usr/lib"), "unix:gid")).isEqualTo(6);
        });
  }

  @ParameterizedTest
  @EnumSource
  void aDirectoryDeletedAndMadeAgainShowsNothingOld(LayerForm form) throws IOException {
    var layers =
        LayerText.layers(
            """
            layer
            file d/old 0644 "old"
            file keep/old 0644 "old"
            file gone/x/y 0644 "old"
            layer
            dir d/ 0755
            file d/new 0644 "new"
            file .wh.d 0644 ""
            file .wh.gone 0644 ""
            file .wh.never 0644 ""
            file keep/.wh.never 0644 ""
            """);
    unpack(
        form,
        layers,
        (root, _) -> {
          assertThat(names(root)).containsExactly("d", "keep");
          assertThat(names(root.resolve("d"))).containsExactly("new");
          assertThat(names(root.resolve("keep"))).containsExactly("old");
        });
  }

  @ParameterizedTest
  @EnumSource
  void aHardLinkToAFileOfALowerLayerWorks(LayerForm form) throws IOException {
    var layers =
        LayerText.layers(
            """
            layer
            file a/first 0640 3:4 "text"
            layer
            hard b/second => a/first
            """);
    unpack(
        form,
        layers,
        (root, _) -> {
          assertThat(root.resolve("b/second")).hasContent("text");
          assertThat(inode(root.resolve("b/second"))).isEqualTo(inode(root.resolve("a/first")));
          assertThat(mode(root.resolve("b/second"))).isEqualTo(0640);
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hard loot => ../../../../SECRET",
        "hard loot => SECRET",
        "link l -> DIRECTORY\nhard loot => l/secret",
        "link l -> DIRECTORY\nlayer\nhard loot => l/secret",
        "hard loot => loot"
      })
  @Tag("case-109")
  void noHardLinkReachesAFileOutside(String text) throws IOException {
    Path outside = Files.createDirectory(temporary.resolve("outside"));
    Path secret = Files.writeString(outside.resolve("secret"), "s3cret");
    var layers =
        LayerText.layers(
            "layer\n"
                + text.replace("SECRET", secret.toString())
                    .replace("DIRECTORY", outside.toString()));

    for (LayerForm form : List.of(LayerForm.COPIED, LayerForm.OVERLAY)) {
      assertThatThrownBy(() -> unpack(form, layers, (_, _) -> {}))
          .isInstanceOf(DamagedLayerException.class)
          .hasMessageContaining("loot");
    }

    assertThat(Files.getAttribute(secret, "unix:nlink")).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsWrittenThroughALinkThatLeadsOutside(LayerForm form) throws IOException {
    Path outside = Files.createDirectory(temporary.resolve("outside"));
    var layers =
        LayerText.layers(
            """
            layer
            link out -> OUTSIDE
            link up -> ../../../../../../../../..
            file out/one 0644 "1"
            file up/two 0644 "2"
            file ../../three 0644 "3"
            dir out/dir/ 0755
            """
                .replace("OUTSIDE", outside.toString()));
    unpack(
        form,
        layers,
        (root, _) -> {
          assertThat(root.resolve(outside.toString().substring(1)).resolve("one")).hasContent("1");
          assertThat(root.resolve("two")).hasContent("2");
          assertThat(root.resolve("three")).hasContent("3");
        });
    assertThat(outside).isEmptyDirectory();
    assertThat(temporary.resolve("three")).doesNotExist();
  }

  @ParameterizedTest
  @EnumSource
  @Tag("case-21")
  void timesAreExactAlsoOfDirectories(LayerForm form) throws IOException {
    var time = Instant.ofEpochSecond(1, 5);
    var bytes = new ByteArrayOutputStream();
    try (var writer = new TarWriter(bytes)) {
      writer.add(entry("dir/", TarEntry.Type.DIRECTORY, time));
      writer.add(entry("dir/one", TarEntry.Type.FILE, time.plusSeconds(1)));
      writer.add(entry("dir/two", TarEntry.Type.FIFO, time.minusSeconds(7)));
    }
    unpack(
        form,
        List.of(bytes.toByteArray(), LayerText.layer("file dir/sub/three 0644 \"3\"")),
        (_, handle) -> {
          try (var dir = handle.child("dir")) {
            assertThat(dir.status().modified()).isEqualTo(time);
            assertThat(dir.status("one").modified()).isEqualTo(time.plusSeconds(1));
            assertThat(dir.status("two").modified()).isEqualTo(time.minusSeconds(7));
            assertThat(dir.status("sub").modified()).isEqualTo(Instant.EPOCH);
          }
        });
  }

  @Test
  @Tag("case-11")
  void zerosBecomeHoles() throws IOException {
    long size = 256L << 20;
    var layer = new CountedZeros(size);
    Path root = Files.createDirectory(temporary.resolve("root"));
    try (var handle = DirectoryHandle.open(root)) {
      var outcome = unpacking().ontoTree(layer.archive("var/log/lastlog"), handle);

      try (var log = handle.descend("var/log")) {
        assertThat(log.status("lastlog").size()).isEqualTo(size);
        assertThat(log.status("lastlog").allocated()).isLessThan(1 << 20);
      }
      assertThat(outcome.writtenBytes()).isZero();
      assertThat(outcome.streamBytes()).isGreaterThan(size);
    }
  }

  @Test
  @Tag("case-118")
  void aFileOverTheLimitIsRefusedBeforeItIsRead() throws IOException {
    Path root = Files.createDirectory(temporary.resolve("root"));
    try (var handle = DirectoryHandle.open(root)) {
      var archive = new CountedZeros(1L << 40).archive("bomb");

      assertThatThrownBy(() -> unpacking().ontoTree(archive, handle))
          .isInstanceOf(DamagedLayerException.class)
          .hasMessageContaining("unpacked size over limit")
          .hasMessageContaining("bomb");
    }
  }

  @Test
  @Tag("case-118")
  void tooManyEntriesAndTooLongHeadersAreRefused() throws IOException {
    var few = new Unpacking("test", "", LayerLimits.USUAL.withEntries(2));
    var attributes = new TreeMap<String, byte[]>();
    for (int i = 0; i < 100_000; i++) {
      attributes.put("user.a" + i, new byte[1]);
    }
    var bytes = new ByteArrayOutputStream();
    try (var writer = new TarWriter(bytes)) {
      writer.add(
          new TarEntry(
              "many",
              TarEntry.Type.FILE,
              "",
              0644,
              0,
              0,
              0,
              Instant.EPOCH,
              DeviceNumber.NONE,
              attributes,
              List.of()));
    }
    Path root = Files.createDirectory(temporary.resolve("root"));
    try (var handle = DirectoryHandle.open(root)) {
      var three = LayerText.layer("fifo a\nfifo b\nfifo c");
      assertThatThrownBy(() -> few.ontoTree(new ByteArrayInputStream(three), handle))
          .hasMessageContaining("too many entries");
      assertThatThrownBy(
              () -> unpacking().ontoTree(new ByteArrayInputStream(bytes.toByteArray()), handle))
          .hasMessageContaining("extended header");
    }
  }

  @Test
  @Tag("case-118")
  void directoriesNestedTooDeepAreACleanError() throws IOException {
    var layer = LayerText.layer("dir " + "d/".repeat(5000) + " 0755");
    Path root = Files.createDirectory(temporary.resolve("root"));
    try (var handle = DirectoryHandle.open(root)) {
      assertThatThrownBy(() -> unpacking().ontoTree(new ByteArrayInputStream(layer), handle))
          .isInstanceOf(DamagedLayerException.class)
          .hasMessageContaining("4095");
    }
  }

  @Test
  @Tag("case-12")
  void longNamesArriveWhole() throws IOException {
    String umlauts = "ü".repeat(60);
    var layer =
        LayerText.layer(
            """
            file p{150}/n{99} 0644 "1"
            file g{40}/h{200} 0644 "2"
            file d{200}/e{200} 0644 "3"
            link l -> t{300}
            """
                + "file "
                + umlauts
                + " 0644 \"4\"\n"
                + "file z{255} 0644 \"5\"\n");
    unpack(
        LayerForm.COPIED,
        List.of(layer),
        (root, handle) -> {
          assertThat(root.resolve("p".repeat(150)).resolve("n".repeat(99))).hasContent("1");
          assertThat(root.resolve("g".repeat(40)).resolve("h".repeat(200))).hasContent("2");
          assertThat(root.resolve("d".repeat(200)).resolve("e".repeat(200))).hasContent("3");
          assertThat(handle.readLink("l")).isEqualTo("t".repeat(300));
          assertThat(root.resolve(umlauts)).hasContent("4");
          assertThat(root.resolve("z".repeat(255))).hasContent("5");
        });
  }

  @Test
  @Tag("case-12")
  void aNameOfOver255BytesIsAnErrorThatNamesIt() throws IOException {
    var layer = LayerText.layer("file z{256} 0644 \"5\"");
    Path root = Files.createDirectory(temporary.resolve("root"));
    try (var handle = DirectoryHandle.open(root)) {
      assertThatThrownBy(() -> unpacking().ontoTree(new ByteArrayInputStream(layer), handle))
          .isInstanceOf(DamagedLayerException.class)
          .hasMessageContaining("zzzz")
          .hasMessageContaining("255");
    }
    assertThat(root).isEmptyDirectory();
  }

  @ParameterizedTest
  @ValueSource(strings = {".wh.", ".wh..", ".wh..."})
  void aMarkWithoutANameIsRefused(String name) throws IOException {
    var layer = LayerText.layer("file a/" + name + " 0644 \"\"");
    Path root = Files.createDirectory(temporary.resolve("root"));
    try (var handle = DirectoryHandle.open(root)) {
      assertThatThrownBy(() -> unpacking().ontoTree(new ByteArrayInputStream(layer), handle))
          .isInstanceOf(DamagedLayerException.class);
    }
  }

  @Test
  void formsAreFoundByTrying() throws IOException {
    assertThat(LayerForm.detect(temporary)).isEqualTo(LayerForm.OVERLAY);
    assertThat(temporary).isEmptyDirectory();
  }

  private static TarEntry entry(String path, TarEntry.Type type, Instant time) {
    return new TarEntry(
        path, type, "", 0755, 0, 0, 0, time, DeviceNumber.NONE, new TreeMap<>(), List.of());
  }

  private static List<String> names(Path directory) throws IOException {
    try (var names = Files.list(directory)) {
      return names.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  private static int mode(Path path) throws IOException {
    return (int) Files.getAttribute(path, "unix:mode") & 07777;
  }

  private static Object inode(Path path) throws IOException {
    return Files.getAttribute(path, "unix:ino");
  }

  /** An archive of one file of zeros that is made while it is read. */
  private record CountedZeros(long size) {
    InputStream archive(String path) throws IOException {
      var header = new ByteArrayOutputStream();
      try (var writer = new TarWriter(header)) {
        writer.add(
            new TarEntry(
                path,
                TarEntry.Type.FILE,
                "",
                0644,
                0,
                0,
                0,
                Instant.EPOCH,
                DeviceNumber.NONE,
                new TreeMap<>(),
                List.of()));
      }
      byte[] block = Arrays.copyOf(header.toByteArray(), 512);
      String octal = "%011o".formatted(Math.min(size, 077777777777L));
      System.arraycopy(octal.getBytes(StandardCharsets.US_ASCII), 0, block, 124, 11);
      if (size > 077777777777L) {
        block[124] = (byte) 0x80;
        for (int i = 0; i < 11; i++) {
          block[135 - i] = (byte) (i < 8 ? size >>> 8 * i : 0);
        }
      }
      Arrays.fill(block, 148, 156, (byte) ' ');
      int sum = 0;
      for (byte value : block) {
        sum += value & 0xFF;
      }
      System.arraycopy(
          "%06o\0 ".formatted(sum).getBytes(StandardCharsets.US_ASCII), 0, block, 148, 8);
      return new SequenceInputStream(new ByteArrayInputStream(block), new Zeros(size + 1024));
    }
  }

  private static final class Zeros extends InputStream {
    private long left;

    Zeros(long left) {
      this.left = left;
    }

    @Override
    public int read() {
      return left-- > 0 ? 0 : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      if (left == 0) {
        return -1;
      }
      int count = (int) Math.min(length, left);
      Arrays.fill(target, offset, offset + count, (byte) 0);
      left -= count;
      return count;
    }
  }
}
