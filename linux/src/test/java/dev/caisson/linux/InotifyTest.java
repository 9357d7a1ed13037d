package dev.caisson.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class InotifyTest {
  @TempDir Path directory;

  @Test
  void whatHappensToFilesIsToldOnce() throws Exception {
    var file = directory.resolve("file");
    Files.writeString(file, "before");
    try (var watch = Inotify.of(directory)) {
      assertThat(watch.await(0)).isFalse();

      Files.writeString(file, "more", StandardOpenOption.APPEND);
      assertThat(watch.await(-1)).isTrue();
      assertThat(watch.await(0)).isFalse();

      Files.move(file, directory.resolve("other"));
      assertThat(watch.await(-1)).isTrue();
      Files.delete(directory.resolve("other"));
      assertThat(watch.await(-1)).isTrue();
      assertThat(watch.await(0)).isFalse();
    }
  }

  @Test
  void aMissingDirectoryIsNamed() {
    var missing = directory.resolve("missing");

    assertThatThrownBy(() -> Inotify.of(missing).close())
        .isInstanceOf(KernelException.class)
        .hasMessageContaining(missing.toString())
        .hasMessageContaining("ENOENT");
  }
}
