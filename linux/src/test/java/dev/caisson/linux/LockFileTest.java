package dev.caisson.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LockFileTest {
  @TempDir Path directory;

  @Test
  void anExclusiveLockKeepsOthersOutUntilItIsGivenBack() throws IOException {
    Path path = directory.resolve("lock");
    try (var _ = LockFile.acquire(path, LockFile.Kind.EXCLUSIVE)) {
      assertThat(LockFile.tryAcquire(path, LockFile.Kind.SHARED)).isEmpty();
      // Closing another descriptor of the file must not give the lock away.
      Files.readAllBytes(path);
      assertThat(LockFile.tryAcquire(path, LockFile.Kind.EXCLUSIVE)).isEmpty();
    }

    var again = LockFile.tryAcquire(path, LockFile.Kind.EXCLUSIVE);

    assertThat(again).isPresent();
    again.get().close();
  }

  @Test
  void sharedLocksGoTogether() throws IOException {
    Path path = directory.resolve("lock");
    try (var _ = LockFile.acquire(path, LockFile.Kind.SHARED);
        var _ = LockFile.acquire(path, LockFile.Kind.SHARED)) {
      assertThat(LockFile.tryAcquire(path, LockFile.Kind.EXCLUSIVE)).isEmpty();
    }
  }

  @Test
  void aWaiterGetsTheLockWhenItIsGivenBack() throws Exception {
    Path path = directory.resolve("lock");
    var first = LockFile.acquire(path, LockFile.Kind.EXCLUSIVE);
    var waiter = CompletableFuture.supplyAsync(() -> acquire(path));
    assertThat(waiter).isNotDone();

    first.close();

    waiter.get().close();
  }

  @Test
  void aWaitIsInterruptible() throws Exception {
    Path path = directory.resolve("lock");
    try (var _ = LockFile.acquire(path, LockFile.Kind.EXCLUSIVE)) {
      Thread.currentThread().interrupt();

      assertThatThrownBy(() -> LockFile.acquire(path, LockFile.Kind.EXCLUSIVE))
          .isInstanceOf(InterruptedIOException.class);

      assertThat(Thread.interrupted()).isTrue();
    }
  }

  private static LockFile acquire(Path path) {
    try {
      return LockFile.acquire(path, LockFile.Kind.EXCLUSIVE);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
