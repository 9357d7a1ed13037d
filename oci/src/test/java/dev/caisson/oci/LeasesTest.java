package dev.caisson.oci;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeasesTest {
  private static final Digest ONE = Digest.of(new byte[] {1});
  private static final Digest TWO = Digest.of(new byte[] {2});

  @TempDir Path temporary;
  private ContentStore store;

  @BeforeEach
  void open() throws IOException {
    store = ContentStore.open(temporary);
  }

  private Set<Digest> leased() throws IOException {
    try (var pruning = store.prune()) {
      return pruning.leased();
    }
  }

  private List<Path> files() throws IOException {
    try (var files = Files.list(temporary.resolve("leases"))) {
      return files.toList();
    }
  }

  @Test
  void whatIsLeasedIsKeptUntilTheLeaseEnds() throws IOException {
    try (var lease = store.lease(List.of(ONE))) {
      assertThat(leased()).containsExactly(ONE);
      lease.extend(List.of(TWO.value()));
      assertThat(leased()).containsExactlyInAnyOrder(ONE, TWO);
    }

    assertThat(leased()).isEmpty();
    assertThat(files()).isEmpty();
  }

  @Test
  void anotherViewOfTheStoreSeesTheLease() throws IOException {
    try (var _ = store.lease(List.of(ONE));
        var pruning = ContentStore.open(temporary).prune()) {
      assertThat(pruning.leased()).containsExactly(ONE);
    }
  }

  @Test
  void aLeaseOfTheDeadCountsNoMore() throws IOException {
    Files.writeString(temporary.resolve("leases").resolve("dead"), ONE.value() + "\n");

    try (var _ = store.lease(List.of(TWO))) {
      assertThat(leased()).containsExactly(TWO);
      assertThat(files()).hasSize(1);
    }
  }

  @Test
  void nobodyGetsALeaseWhileTheStoreIsPruned() throws Exception {
    var asking = new CountDownLatch(1);
    var pruned = new AtomicBoolean();
    Callable<Boolean> asker =
        () -> {
          asking.countDown();
          try (var _ = store.lease(List.of(ONE))) {
            return pruned.get();
          }
        };

    try (var threads = Executors.newSingleThreadExecutor()) {
      var pruning = store.prune();
      var lease = threads.submit(asker);
      try (pruning) {
        asking.await();
        pruned.set(true);
      }

      assertThat(lease.get()).isTrue();
    }
  }

  @Test
  void leasesMayEndWhileTheStoreIsPruned() throws Exception {
    var end = new AtomicBoolean();
    Callable<Void> user =
        () -> {
          while (!end.get()) {
            store.lease(List.of(ONE)).close();
          }
          return null;
        };

    try (var threads = Executors.newSingleThreadExecutor()) {
      var done = threads.submit(user);
      try {
        for (int round = 0; round < 300; round++) {
          assertThat(leased()).isSubsetOf(ONE);
        }
      } finally {
        end.set(true);
      }
      done.get();
    }
    assertThat(files()).isEmpty();
  }
}
