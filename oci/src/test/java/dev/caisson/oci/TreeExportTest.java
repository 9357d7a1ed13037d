package dev.caisson.oci;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.Mount;
import dev.caisson.linux.MountTable;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("root")
class TreeExportTest {
  private static final byte[] LAYER =
      LayerText.layer(
          """
          dir b/ 0751 5:6
          file b/z 0644 "z" pax:SCHILY.xattr.user.note=value
          file b/a 4755 7:7 "a"
          hard a => b/z
          link c -> /b/a
          fifo d
          chardev e 1:3
          dir deep/er/ 0700
          """);

  @TempDir Path temporary;

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
  @Tag("case-21")
  void theSameTreeGivesTheSameBytes() throws IOException {
    byte[] first = export(unpack("one", LAYER));
    byte[] second = export(unpack("two", LAYER));

    assertThat(Digest.of(second)).isEqualTo(Digest.of(first));
    assertThat(export(unpack("three", first))).isEqualTo(first);
    assertThat(paths(first))
        .containsExactly("a", "b/", "b/a", "b/z", "c", "d", "deep/", "deep/er/", "e");
  }

  @Test
  void changesOfAContainerBecomeALayerThatMakesThem() throws IOException {
    var store = LayerStore.open(temporary.resolve("layers"), LayerForm.OVERLAY);
    var lower =
        LayerText.layer("file d/old 0644 \"old\"\nfile e/old 0644 \"old\"\nfile f 0644 \"f\"");
    var diffIds = new ArrayList<>(List.of(Digest.of(lower)));
    add(store, diffIds, lower);
    Path target = temporary.toRealPath().resolve("rootfs");
    store.mount(Image.ChainId.of(diffIds), temporary.resolve("changes"), target);
    Files.delete(target.resolve("f"));
    Files.writeString(target.resolve("g"), "g");
    Files.delete(target.resolve("d/old"));
    Files.delete(target.resolve("d"));
    Files.createDirectory(target.resolve("d"));
    Files.writeString(target.resolve("d/new"), "new");
    store.unmount(target);

    var bytes = new ByteArrayOutputStream();
    store.writeChanges(temporary.resolve("changes"), bytes);

    assertThat(paths(bytes.toByteArray()))
        .containsExactly("d/", "d/.wh..wh..opq", "d/new", ".wh.f", "g");
    diffIds.add(Digest.of(bytes.toByteArray()));
    add(store, diffIds, bytes.toByteArray());
    Path again = temporary.toRealPath().resolve("again");
    store.mount(Image.ChainId.of(diffIds), temporary.resolve("changes-again"), again);
    assertThat(again.resolve("d/old")).doesNotExist();
    assertThat(again.resolve("d/new")).hasContent("new");
    assertThat(again.resolve("e/old")).hasContent("old");
    assertThat(again.resolve("f")).doesNotExist();
    assertThat(again.resolve("g")).hasContent("g");
  }

  private static void add(LayerStore store, List<Digest> diffIds, byte[] layer) throws IOException {
    var chain = Image.ChainId.of(diffIds);
    store.unpack(
        chain.subList(0, chain.size() - 1),
        chain.getLast(),
        diffIds.getLast(),
        new Unpacking("test", "", LayerLimits.USUAL),
        () -> new ByteArrayInputStream(layer));
  }

  private Path unpack(String name, byte[] layer) throws IOException {
    Path root = Files.createDirectory(temporary.resolve(name));
    try (var handle = DirectoryHandle.open(root)) {
      new Unpacking("test", "", LayerLimits.USUAL)
          .ontoTree(new ByteArrayInputStream(layer), handle);
    }
    return root;
  }

  private static byte[] export(Path root) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var handle = DirectoryHandle.open(root)) {
      TreeExport.writeTree(handle, bytes);
    }
    return bytes.toByteArray();
  }

  private static List<String> paths(byte[] archive) throws IOException {
    var reader = new TarReader(new ByteArrayInputStream(archive), LayerLimits.USUAL);
    var paths = new ArrayList<String>();
    for (var entry = reader.next(); entry.isPresent(); entry = reader.next()) {
      paths.add(entry.get().path());
    }
    return paths;
  }
}
