package dev.caisson.oci;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContentStoreTest {
  private static final byte[] CONTENT = "some content".getBytes(StandardCharsets.UTF_8);
  private static final Digest DIGEST = Digest.of(CONTENT);

  @TempDir Path directory;
  private ContentStore store;

  @BeforeEach
  void open() throws IOException {
    store = ContentStore.open(directory);
  }

  private static void append(PartialBlob blob, int from, int to) throws IOException {
    blob.append(List.of(ByteBuffer.wrap(CONTENT, from, to - from)));
  }

  // ---- blobs in pieces

  @Test
  void aBlobGoesOnWhereAnEarlierProgramLeftIt() throws IOException {
    try (var blob = store.partial(DIGEST)) {
      append(blob, 0, 5);
    }
    assertThat(store.has(DIGEST)).isFalse();

    try (var blob = ContentStore.open(directory).partial(DIGEST)) {
      assertThat(blob.position()).isEqualTo(5);
      assertThat(blob.isContinued()).isTrue();
      append(blob, 5, CONTENT.length);
      assertThat(blob.complete()).isTrue();
    }
    assertThat(store.read(DIGEST)).isEqualTo(CONTENT);
    assertThat(directory.resolve("partial")).isEmptyDirectory();
  }

  @Test
  void whatIsNotTheBlobStartsAgainFromNothing() throws IOException {
    try (var blob = store.partial(DIGEST)) {
      append(blob, 3, CONTENT.length);
      assertThat(blob.complete()).isFalse();
      assertThat(blob.position()).isZero();
      append(blob, 0, CONTENT.length);
      assertThat(blob.complete()).isTrue();
    }
    assertThat(store.read(DIGEST)).isEqualTo(CONTENT);
  }

  @Test
  void aBlobOfWhichNothingCameLeavesNoFile() throws IOException {
    store.partial(DIGEST).close();

    assertThat(directory.resolve("partial")).isEmptyDirectory();
    assertThat(directory.resolve("locks").resolve(DIGEST.hex())).doesNotExist();
  }

  @Test
  void theSecondAtABlobWaitsAndFindsIt() throws Exception {
    var waiting = new CountDownLatch(1);
    CompletableFuture<Boolean> second;
    try (var blob = store.partial(DIGEST)) {
      second =
          CompletableFuture.supplyAsync(
              () -> {
                waiting.countDown();
                try (var _ = store.partial(DIGEST)) {
                  return store.has(DIGEST);
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              },
              task -> Thread.ofPlatform().start(task));
      assertThat(waiting.await(10, TimeUnit.SECONDS)).isTrue();
      append(blob, 0, CONTENT.length);
      assertThat(second).isNotDone();
      assertThat(blob.complete()).isTrue();
    }

    assertThat(second.get(10, TimeUnit.SECONDS)).isTrue();
  }

  // ---- leases

  @Test
  void whatAnotherProgramLeasedIsKnownToWhoPrunes() throws IOException {
    try (var lease = ContentStore.open(directory).lease(List.of())) {
      lease.extend(List.of(DIGEST.value()));

      try (var pruning = store.prune()) {
        assertThat(pruning.leased()).containsExactly(DIGEST);
      }
    }
    try (var pruning = store.prune()) {
      assertThat(pruning.leased()).isEmpty();
    }
  }

  @Test
  void aLeaseOfTheDeadIsRemoved() throws IOException {
    var dead = directory.resolve("leases").resolve("dead");
    Files.writeString(dead, DIGEST.value() + "\n");

    try (var pruning = store.prune()) {
      assertThat(pruning.leased()).isEmpty();
    }
    assertThat(dead).doesNotExist();
  }

  @Test
  void aPieceThatNobodyIsAtIsRemovedAndOthersStay() throws IOException {
    var kept = Digest.of(new byte[] {1});
    var stale = Digest.of(new byte[] {2});
    Files.write(directory.resolve("partial").resolve(kept.hex()), new byte[10]);
    Files.write(directory.resolve("partial").resolve(stale.hex()), new byte[20]);
    try (var blob = store.partial(DIGEST)) {
      append(blob, 0, 5);

      assertThat(store.removePartial(Set.of(kept))).isEqualTo(20);

      assertThat(directory.resolve("partial").resolve(stale.hex())).doesNotExist();
      assertThat(directory.resolve("partial").resolve(kept.hex())).exists();
      append(blob, 5, CONTENT.length);
      assertThat(blob.complete()).isTrue();
    }
  }
}
