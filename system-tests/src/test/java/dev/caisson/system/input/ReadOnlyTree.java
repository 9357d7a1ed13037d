package dev.caisson.system.input;

import dev.caisson.system.Ran;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A directory that is read-only, for everybody on this machine, until it is closed. */
final class ReadOnlyTree implements AutoCloseable {
  private static final Map<String, String> PATH = Map.of("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");

  private final Path directory;

  private ReadOnlyTree(Path directory) {
    this.directory = directory;
  }

  static ReadOnlyTree of(Path directory) throws IOException, InterruptedException {
    run("mount", "--bind", directory.toString(), directory.toString());
    var tree = new ReadOnlyTree(directory);
    run("mount", "-o", "remount,bind,ro", directory.toString());
    return tree;
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
