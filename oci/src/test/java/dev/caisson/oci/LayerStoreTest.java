package dev.caisson.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.Mount;
import dev.caisson.linux.MountTable;
import dev.caisson.linux.Overlay;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("root")
class LayerStoreTest {
  private static final List<byte[]> LAYERS =
      LayerText.layers(
          """
          layer
          dir ./ 0711 5:6
          file a/old 0644 "old"
          file b 0644 "b"
          layer
          file a/new 0644 "new"
          file a/.wh.old 0644 ""
          """);

  private static final List<Digest> DIFF_IDS = LAYERS.stream().map(Digest::of).toList();
  private static final List<Image.ChainId> CHAIN = Image.ChainId.of(DIFF_IDS);

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

  @ParameterizedTest
  @EnumSource
  void aRootShowsItsLayersAndKeepsItsChanges(LayerForm form) throws IOException {
    var store = LayerStore.open(temporary.resolve("layers"), form);
    unpackAll(store);
    Path target = temporary.toRealPath().resolve("rootfs");

    store.mount(CHAIN, temporary.resolve("changes"), target);
    store.mount(CHAIN, temporary.resolve("changes"), target);
    Files.writeString(target.resolve("written"), "by the container");
    Files.delete(target.resolve("b"));

    assertThat(target.resolve("a/new")).hasContent("new");
    assertThat(target.resolve("a/old")).doesNotExist();
    assertThat(Files.getAttribute(target, "unix:mode")).isEqualTo(040711);
    assertThat(Files.getAttribute(target, "unix:gid")).isEqualTo(6);

    store.unmount(target);
    store.unmount(target);
    assertThat(target).isEmptyDirectory();

    store.mount(CHAIN, temporary.resolve("changes"), target);
    assertThat(target.resolve("written")).hasContent("by the container");
    assertThat(target.resolve("b")).doesNotExist();
    store.unmount(target);
  }

  @ParameterizedTest
  @EnumSource
  void twoContainersDoNotSeeEachOthersChanges(LayerForm form) throws IOException {
    var store = LayerStore.open(temporary.resolve("layers"), form);
    unpackAll(store);
    Path first = temporary.toRealPath().resolve("one");
    Path second = temporary.toRealPath().resolve("two");
    store.mount(CHAIN, temporary.resolve("changes-one"), first);
    store.mount(CHAIN, temporary.resolve("changes-two"), second);

    Files.writeString(first.resolve("b"), "changed");

    assertThat(second.resolve("b")).hasContent("b");
    store.unmount(first);
    store.unmount(second);
  }

  @Test
  void aLayerThatHidesAllInItsRootHidesTheLowerOnes() throws IOException {
    var layers =
        LayerText.layers(
            """
            layer
            file old 0644 ""
            layer
            file new 0644 ""
            file .wh..wh..opq 0644 ""
            """);
    var diffIds = layers.stream().map(Digest::of).toList();
    var chain = Image.ChainId.of(diffIds);
    var store = LayerStore.open(temporary.resolve("layers"));
    for (int i = 0; i < 2; i++) {
      unpack(store, chain.subList(0, i), chain.get(i), diffIds.get(i), layers.get(i));
    }
    Path target = temporary.toRealPath().resolve("rootfs");

    store.mount(chain, temporary.resolve("changes"), target);

    assertThat(target.resolve("new")).exists();
    assertThat(target.resolve("old")).doesNotExist();
    store.unmount(target);
  }

  @Test
  void severalThreadsMakeALayerOnce() throws Exception {
    var store = LayerStore.open(temporary.resolve("layers"));
    var made = new AtomicInteger();
    try (var threads = Executors.newFixedThreadPool(4)) {
      List<Callable<Boolean>> calls = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        var other = LayerStore.open(temporary.resolve("layers"));
        calls.add(() -> {
          other.make(
              CHAIN.getFirst(),
              layer -> {
                made.incrementAndGet();
                layer.makeDirectory("d", 0755);
              });
          return other.has(CHAIN.getFirst());
        });
      }
      for (Future<Boolean> call : threads.invokeAll(calls)) {
        assertThat(call.get()).isTrue();
      }
    }

    assertThat(made).hasValue(1);
    assertThat(store.has(CHAIN.getFirst())).isTrue();
    assertThat(temporary.resolve("layers/incoming")).isEmptyDirectory();
  }

  @Test
  @Tag("case-15")
  void nothingIsLeftOfALayerThatFails() throws IOException {
    var store = LayerStore.open(temporary.resolve("layers"));
    byte[] cut = Arrays.copyOf(LAYERS.getFirst(), 1800);

    assertThatThrownBy(() -> unpack(store, List.of(), CHAIN.getFirst(), DIFF_IDS.getFirst(), cut))
        .isInstanceOf(DamagedLayerException.class)
        .hasMessageContaining("layer-of-test")
        .hasMessageContaining("offset");

    assertThat(store.has(CHAIN.getFirst())).isFalse();
    assertThat(temporary.resolve("layers/incoming")).isEmptyDirectory();
    unpackAll(store);
  }

  @Test
  void contentThatIsNotWhatTheConfigSaysIsRefused() throws IOException {
    var store = LayerStore.open(temporary.resolve("layers"));

    assertThatThrownBy(
            () -> unpack(store, List.of(), CHAIN.getFirst(), DIFF_IDS.getLast(), LAYERS.getFirst()))
        .hasMessageContaining(DIFF_IDS.getFirst().value())
        .hasMessageContaining(DIFF_IDS.getLast().value());

    assertThat(store.has(CHAIN.getFirst())).isFalse();
  }

  @Test
  @Tag("case-17")
  void pruningLeavesWhatIsUsedOrLeased() throws IOException {
    var store = LayerStore.open(temporary.resolve("layers"));
    unpackAll(store);

    try (var _ = store.lease(CHAIN)) {
      assertThat(LayerStore.open(temporary.resolve("layers")).prune(Set.of()).layers()).isEmpty();
    }
    assertThat(store.prune(Set.of(CHAIN.getFirst())).layers()).containsExactly(CHAIN.getLast());
    assertThat(store.has(CHAIN.getFirst())).isTrue();
    assertThat(store.prune(Set.of()).layers()).containsExactly(CHAIN.getFirst());

    assertThat(temporary.resolve("layers/incoming")).isEmptyDirectory();
    assertThat(temporary.resolve("layers/leases")).isEmptyDirectory();
  }

  @Test
  void whatACrashLeftIsSweptAtTheNextOpen() throws IOException {
    LayerStore.open(temporary.resolve("layers"));
    Path left = temporary.resolve("layers/incoming/" + CHAIN.getFirst().hex() + "-half");
    Files.createDirectories(left.resolve("usr/bin"));
    Files.writeString(temporary.resolve("layers/leases/dead"), CHAIN.getFirst().hex());

    var store = LayerStore.open(temporary.resolve("layers"));

    assertThat(left).doesNotExist();
    unpackAll(store);
    assertThat(store.prune(Set.of()).layers()).hasSize(2);
  }

  @Test
  void aMissingLayerIsNamed() throws IOException {
    var store = LayerStore.open(temporary.resolve("layers"));

    assertThatThrownBy(
            () -> store.mount(CHAIN, temporary.resolve("changes"), temporary.resolve("rootfs")))
        .isInstanceOf(ImageException.class)
        .hasMessageContaining(CHAIN.getFirst().hex());
  }

  @Test
  @Tag("case-131")
  void onAnOverlayLayersAreCopiedWithOneWarning() throws IOException {
    for (String name : List.of("lower", "upper", "work", "overlay")) {
      Files.createDirectory(temporary.resolve(name));
    }
    var writable = new Overlay.Writable(temporary.resolve("upper"), temporary.resolve("work"));
    var overlay = new Overlay(List.of(temporary.resolve("lower")), Optional.of(writable), Set.of());
    try (var outer = overlay.mount(temporary.toRealPath().resolve("overlay"), Set.of())) {
      var store = LayerStore.open(outer.target().resolve("layers"));
      assertThat(store.warning()).hasValueSatisfying(text -> assertThat(text).contains("copied"));
      unpackAll(store);
      Path target = outer.target().resolve("rootfs");

      store.mount(CHAIN, outer.target().resolve("changes"), target);

      assertThat(target.resolve("a/new")).hasContent("new");
      assertThat(target.resolve("a/old")).doesNotExist();
      store.unmount(target);
    }
    assertThat(LayerStore.open(temporary.resolve("layers")).warning()).isEmpty();
  }

  private static void unpackAll(LayerStore store) throws IOException {
    for (int i = 0; i < CHAIN.size(); i++) {
      unpack(store, CHAIN.subList(0, i), CHAIN.get(i), DIFF_IDS.get(i), LAYERS.get(i));
    }
  }

  private static void unpack(
      LayerStore store, List<Image.ChainId> below, Image.ChainId id, Digest diffId, byte[] layer)
      throws IOException {
    store.unpack(
        below,
        id,
        diffId,
        new Unpacking("layer-of-test", "", LayerLimits.USUAL),
        () -> new ByteArrayInputStream(layer));
  }
}
