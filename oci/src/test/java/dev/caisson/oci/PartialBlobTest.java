package dev.caisson.oci;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartialBlobTest {
  private static final Digest HELLO = Digest.of("hello world".getBytes(StandardCharsets.UTF_8));

  @TempDir Path temporary;
  private ContentStore store;

  @BeforeEach
  void open() throws IOException {
    store = ContentStore.open(temporary);
  }

  @AfterEach
  void nothingIsLeftLocked() throws IOException {
    assertThat(names("locks")).isSubsetOf("store");
  }

  private static List<ByteBuffer> pieces(String... texts) {
    return List.of(texts).stream()
        .map(text -> ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)))
        .toList();
  }

  private List<String> names(String directory) throws IOException {
    try (var files = Files.list(temporary.resolve(directory))) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  private void leave(Digest digest, String text) throws IOException {
    try (var blob = store.partial(digest)) {
      blob.append(pieces(text));
    }
  }

  @Test
  @Tag("case-22")
  void whatWasClosedIsThereForTheNextTime() throws IOException {
    leave(HELLO, "hello");
    assertThat(store.has(HELLO)).isFalse();

    try (var blob = store.partial(HELLO)) {
      assertThat(blob.position()).isEqualTo(5);
      assertThat(blob.isContinued()).isTrue();
      blob.append(pieces(" ", "world"));
      assertThat(blob.position()).isEqualTo(11);
      assertThat(blob.complete()).isTrue();
    }

    assertThat(store.read(HELLO)).asString().isEqualTo("hello world");
    assertThat(names("partial")).isEmpty();
  }

  @Test
  void nothingIsLeftOfWhatNeverCame() throws IOException {
    try (var blob = store.partial(HELLO)) {
      assertThat(blob.isContinued()).isFalse();
    }

    assertThat(names("partial")).isEmpty();
  }

  @Test
  void whatHasAnotherDigestStartsAgain() throws IOException {
    leave(HELLO, "jello");

    try (var blob = store.partial(HELLO)) {
      blob.append(pieces(" world"));
      assertThat(blob.complete()).isFalse();
      assertThat(blob.position()).isZero();
      assertThat(blob.isContinued()).isFalse();
      assertThat(store.has(HELLO)).isFalse();

      blob.append(pieces("hello world"));
      assertThat(blob.complete()).isTrue();
    }

    assertThat(store.read(HELLO)).asString().isEqualTo("hello world");
  }

  @Test
  void aRestartForgetsWhatCame() throws IOException {
    try (var blob = store.partial(HELLO)) {
      blob.append(pieces("a much longer text than the right one"));
      blob.restart();
      blob.append(pieces("hello world"));
      assertThat(blob.complete()).isTrue();
    }

    assertThat(store.read(HELLO)).asString().isEqualTo("hello world");
  }

  @Test
  void aBlobOfNoBytesIsABlob() throws IOException {
    var empty = Digest.of(new byte[0]);
    try (var blob = store.partial(empty)) {
      assertThat(blob.complete()).isTrue();
    }

    assertThat(store.read(empty)).isEmpty();
  }

  @Test
  void whoComesSecondWaitsAndThenFindsIt() throws Exception {
    var waiting = new CountDownLatch(1);
    Callable<Boolean> second =
        () -> {
          waiting.countDown();
          try (var blob = store.partial(HELLO)) {
            assertThat(blob.position()).isZero();
            return store.has(HELLO);
          }
        };

    try (var threads = Executors.newSingleThreadExecutor()) {
      var first = store.partial(HELLO);
      var found = threads.submit(second);
      try (first) {
        waiting.await();
        first.append(pieces("hello world"));
        assertThat(first.complete()).isTrue();
        assertThat(found.isDone()).isFalse();
      }

      assertThat(found.get()).isTrue();
    }
    assertThat(names("partial")).isEmpty();
  }

  @Test
  void onlyOneOfManyAtATimeIsAtABlob() throws Exception {
    var busy = new AtomicBoolean();
    Callable<Boolean> turn =
        () -> {
          try (var blob = store.partial(HELLO)) {
            assertThat(busy.compareAndSet(false, true)).isTrue();
            boolean isFirst = !store.has(HELLO);
            if (isFirst) {
              blob.append(pieces("hello world"));
              assertThat(blob.complete()).isTrue();
            }
            busy.set(false);
            return isFirst;
          }
        };

    try (var threads = Executors.newFixedThreadPool(8)) {
      int firsts = 0;
      for (var future : threads.invokeAll(java.util.Collections.nCopies(24, turn))) {
        firsts += future.get() ? 1 : 0;
      }
      assertThat(firsts).isEqualTo(1);
    }
  }

  @Test
  void pruningRemovesWhatBrokenDownloadsLeftExceptWhatIsKept() throws IOException {
    var kept = Digest.of(new byte[] {1});
    leave(HELLO, "hello");
    leave(kept, "ab");

    assertThat(store.removePartial(Set.of(kept))).isEqualTo(5);

    assertThat(names("partial")).containsExactly(kept.hex());
  }

  @Test
  void pruningLeavesADownloadThatIsGoingOn() throws IOException {
    try (var blob = store.partial(HELLO)) {
      blob.append(pieces("hello"));
      assertThat(store.removePartial(Set.of())).isZero();
      blob.append(pieces(" world"));
      assertThat(blob.complete()).isTrue();
    }
  }

  @Test
  void pruningPassesOverWhatIsNoneOfItsFiles() throws IOException {
    Files.writeString(temporary.resolve("partial").resolve(".nfs0001"), "x");

    assertThat(store.removePartial(Set.of())).isZero();
    assertThat(names("partial")).containsExactly(".nfs0001");
  }

  @Test
  void downloadsMayEndWhileOthersArePruned() throws Exception {
    try (var threads = Executors.newSingleThreadExecutor()) {
      var end = new AtomicBoolean();
      Callable<Void> downloads =
          () -> {
            for (int number = 0; !end.get(); number++) {
              byte[] content = ("content " + number).getBytes(StandardCharsets.UTF_8);
              try (var blob = store.partial(Digest.of(content))) {
                blob.append(List.of(ByteBuffer.wrap(content)));
                assertThat(blob.complete()).isTrue();
              }
            }
            return null;
          };
      var done = threads.submit(downloads);
      try {
        for (int round = 0; round < 300; round++) {
          store.removePartial(Set.of());
        }
      } finally {
        end.set(true);
      }
      done.get();
    }
  }
}
