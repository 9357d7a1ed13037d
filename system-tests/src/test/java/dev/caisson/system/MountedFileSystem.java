package dev.caisson.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A small file system of a test's own, mounted in a directory until it is closed. */
public final class MountedFileSystem implements AutoCloseable {
  private static final Map<String, String> PATH = Map.of("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");

  private final Path directory;

  private MountedFileSystem(Path directory) {
    this.directory = directory;
  }

  /** In memory; options as in tmpfs(5). */
  public static MountedFileSystem tmpfs(Path directory, String options)
      throws IOException, InterruptedException {
    run("mount", "-t", "tmpfs", "-o", options, "caisson-test", directory.toString());
    return new MountedFileSystem(directory);
  }

  /** Makes it read-only, or writable again. */
  public void remount(boolean readOnly) throws IOException, InterruptedException {
    run("mount", "-o", "remount," + (readOnly ? "ro" : "rw"), directory.toString());
  }

  /** Fills it to its last byte; answers the file that does. */
  public Path fill() throws IOException {
    var fill = directory.resolve("fill");
    var block = new byte[64 << 10];
    try (var out = Files.newOutputStream(fill)) {
      for (int size = block.length; size > 0; ) {
        try {
          out.write(block, 0, size);
        } catch (IOException full) {
          size /= 2;
        }
      }
    }
    return fill;
  }

  /** Where it is. */
  public Path directory() {
    return directory;
  }

  @Override
  public void close() throws IOException {
    try {
      run("umount", directory.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void run(String... command) throws IOException, InterruptedException {
    var ran = Ran.of(PATH, List.of(command));
    if (ran.status() != 0) {
      throw new IOException(String.join(" ", command) + ": " + ran.err());
    }
  }
}
