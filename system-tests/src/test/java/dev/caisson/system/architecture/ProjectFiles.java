package dev.caisson.system.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The checkout these tests are part of. */
final class ProjectFiles {

  /** Top folder of the checkout. Tests run in the folder of their module. */
  static final Path TOP = Path.of("").toAbsolutePath().getParent();

  private ProjectFiles() {}

  static String text(String path) {
    try {
      return Files.readString(TOP.resolve(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All Java sources below a folder of the checkout. */
  static List<Path> sources(String folder) {
    try (var files = Files.walk(TOP.resolve(folder))) {
      return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
