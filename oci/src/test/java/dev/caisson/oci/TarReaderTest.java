package dev.caisson.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.linux.ByteText;
import dev.caisson.linux.DeviceNumber;
import dev.caisson.linux.DirectoryHandle;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * GNU tar writes the archives where it can, so that reader and writer do not agree on a mistake.
 */
class TarReaderTest {
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"gnu", "pax", "ustar", "v7", "oldgnu"})
  void archivesOfGnuTarAreUnderstood(String format) throws Exception {
    Path tree = Files.createDirectories(directory.resolve("tree/sub"));
    Files.writeString(tree.resolve("file"), "content");
    Files.createLink(tree.resolve("hard"), tree.resolve("file"));
    Files.createSymbolicLink(tree.resolve("link"), Path.of("file"));

    var entries = entries(tar("--format=" + format, "--owner=5:5", "--group=6:6", "sub"));

    assertThat(entries)
        .extracting(TarEntry::path)
        .containsExactlyInAnyOrder("sub/", "sub/file", "sub/hard", "sub/link");
    assertThat(entries).allMatch(entry -> entry.uid() == 5 && entry.gid() == 6);
    assertThat(entries)
        .extracting(TarEntry::type)
        .containsOnlyOnce(
            TarEntry.Type.DIRECTORY,
            TarEntry.Type.FILE,
            TarEntry.Type.HARD_LINK,
            TarEntry.Type.SYMBOLIC_LINK);
  }

  @ParameterizedTest
  @ValueSource(strings = {"gnu", "pax"})
  @Tag("case-12")
  void longNamesOfAllLengthsArriveWhole(String format) throws Exception {
    var names = new ArrayList<String>();
    Files.createDirectories(directory.resolve("tree"));
    for (int length : new int[] {99, 100, 101, 155, 156, 255, 256, 257, 400}) {
      var name = new StringBuilder();
      while (name.length() < length) {
        name.append(name.length() % 90 == 89 && name.length() < length - 1 ? '/' : 'x');
      }
      String full = length + "-" + name.substring(4);
      Path file = directory.resolve("tree").resolve(full);
      Files.createDirectories(file.getParent());
      Files.writeString(file, "");
      names.add(full);
    }
    Files.createSymbolicLink(directory.resolve("tree/link"), Path.of("t".repeat(300)));

    var arguments = new ArrayList<>(List.of("--format=" + format, "link"));
    arguments.addAll(names);
    var entries = entries(tar(arguments.toArray(String[]::new)));

    assertThat(entries.subList(1, entries.size())).extracting(TarEntry::path).isEqualTo(names);
    assertThat(entries.getFirst().target()).isEqualTo("t".repeat(300));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--format=gnu",
        "--sparse-version=0.0",
        "--sparse-version=0.1",
        "--sparse-version=1.0"
      })
  void sparseFilesOfAllFormsKeepContentAndHoles(String form) throws Exception {
    Path tree = Files.createDirectories(directory.resolve("tree"));
    byte[] data = new byte[4096];
    new Random(1).nextBytes(data);
    try (var file = new RandomAccessFile(tree.resolve("sparse").toFile(), "rw")) {
      file.setLength(64L << 20);
      for (int i = 0; i < 30; i++) {
        file.seek((2L * i + 1) << 20);
        file.write(data);
      }
    }
    String format = form.startsWith("--format") ? form : "--format=pax";
    byte[] archive = tar("--sparse", format, form, "sparse");
    assertThat(archive.length).isLessThan(1 << 20);
    Path root = Files.createDirectory(directory.resolve("root"));

    try (var handle = DirectoryHandle.open(root)) {
      new Unpacking("test", "", LayerLimits.USUAL)
          .ontoTree(new ByteArrayInputStream(archive), handle);

      assertThat(Files.mismatch(root.resolve("sparse"), tree.resolve("sparse"))).isEqualTo(-1);
      assertThat(handle.status("sparse").allocated()).isLessThan(1 << 20);
    }
  }

  @Test
  void whatTheWriterWritesGnuTarReads() throws Exception {
    byte[] archive =
        LayerText.layer(
            """
            dir d{120}/e{120}/ 0750 3000000:4000000
            file d{120}/e{120}/f 0640 1:2 "text" pax:SCHILY.xattr.user.note=value
            link l{130} -> t{130}
            hard h => d{120}/e{120}/f
            """);
    Path file = Files.write(directory.resolve("archive.tar"), archive);

    String listing = output("tar", "--numeric-owner", "--full-time", "-tvf", file.toString());

    assertThat(listing.lines().toList()).hasSize(4);
    assertThat(listing)
        .contains("drwxr-x--- 3000000/4000000", "d".repeat(120) + "/" + "e".repeat(120) + "/f")
        .contains("l".repeat(130) + " -> " + "t".repeat(130))
        .contains("h link to ")
        .contains("2001-09-09 01:46:40");
  }

  @Test
  void whatTheWriterWritesTheReaderReads() throws IOException {
    var entry =
        new TarEntry(
            ByteText.decode(new byte[] {'a', (byte) 0xff}),
            TarEntry.Type.CHARACTER_DEVICE,
            "",
            04711,
            0xFFFFFFFEL,
            7,
            0,
            Instant.ofEpochSecond(-2, 500_000_000),
            new DeviceNumber(200, 70_000),
            new TreeMap<>(Map.of("user.x", new byte[] {0, (byte) 0xfe, '\n', '='})),
            List.of());
    var bytes = new ByteArrayOutputStream();
    try (var writer = new TarWriter(bytes)) {
      writer.add(entry);
    }

    var read = entries(bytes.toByteArray()).getFirst();

    assertThat(read).usingRecursiveComparison().ignoringFields("attributes").isEqualTo(entry);
    assertThat(read.attributes().get("user.x")).isEqualTo(new byte[] {0, (byte) 0xfe, '\n', '='});
  }

  @Test
  void anEmptyArchiveHasNoEntries() throws IOException {
    assertThat(entries(new byte[1024])).isEmpty();
    assertThat(entries(new byte[0])).isEmpty();
  }

  @Test
  void somethingElseIsCalledNoArchive() {
    byte[] text = "not an archive\n".repeat(100).getBytes(StandardCharsets.UTF_8);

    assertThatThrownBy(() -> entries(text)).hasMessageContaining("no tar archive");
  }

  @Test
  @Tag("case-15")
  void anArchiveThatEndsEarlyNamesEntryAndOffset() {
    byte[] archive = LayerText.layer("file some/name 0644 \"" + "x".repeat(2000) + "\"");

    assertThatThrownBy(() -> entries(Arrays.copyOf(archive, 1000)))
        .isInstanceOf(DamagedLayerException.class)
        .hasMessageContaining("some/name")
        .hasMessageContaining("offset 1000");
  }

  @Test
  @Tag("fuzz")
  void damagedBytesNeverDoMoreThanFail() {
    byte[] archive =
        LayerText.layer(
            """
            dir a{120}/b{120}/ 0755
            file a{120}/b{120}/c 0644 "text" pax:SCHILY.xattr.user.note=value
            link l -> t{200}
            chardev n 1:3
            """);
    var random = new Random(3);
    for (int i = 0; i < 20_000; i++) {
      byte[] copy = archive.clone();
      for (int flips = random.nextInt(1, 6); flips > 0; flips--) {
        copy[random.nextInt(copy.length)] = (byte) random.nextInt();
      }
      repairSums(copy);
      try {
        assertThat(entries(copy).size()).isLessThan(100);
      } catch (IOException e) {
        assertThat(e).isInstanceOf(DamagedLayerException.class);
      }
    }
  }

  /** Makes most damaged headers count, which otherwise fail on their sum. */
  private static void repairSums(byte[] archive) {
    for (int at = 0; at + 512 <= archive.length; at += 512) {
      if (archive[at + 257] != 'u' || archive[at + 258] != 's') {
        continue;
      }
      int sum = 8 * ' ';
      for (int i = 0; i < 512; i++) {
        sum += i >= 148 && i < 156 ? 0 : archive[at + i] & 0xFF;
      }
      byte[] text = "%06o\0 ".formatted(sum).getBytes(StandardCharsets.US_ASCII);
      System.arraycopy(text, 0, archive, at + 148, 8);
    }
  }

  private static List<TarEntry> entries(byte[] archive) throws IOException {
    var reader = new TarReader(new ByteArrayInputStream(archive), LayerLimits.USUAL);
    var entries = new ArrayList<TarEntry>();
    for (var entry = reader.next(); entry.isPresent(); entry = reader.next()) {
      entries.add(entry.get());
    }
    return entries;
  }

  private byte[] tar(String... arguments) throws Exception {
    var command = new ArrayList<>(List.of("tar", "-cf", directory.resolve("a.tar").toString()));
    command.addAll(List.of("-C", directory.resolve("tree").toString()));
    command.addAll(List.of(arguments));
    output(command.toArray(String[]::new));
    return Files.readAllBytes(directory.resolve("a.tar"));
  }

  private static String output(String... command) throws Exception {
    var process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }
}
