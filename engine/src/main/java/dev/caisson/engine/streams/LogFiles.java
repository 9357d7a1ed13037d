package dev.caisson.engine.streams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The files of a log: the one written, and those filled before it, {@code log.1}, {@code log.2} and
 * on in the order they were filled. A file is renamed once, when it is full, and never again, so
 * that a reader beside the writer cannot take one for another.
 *
 * @param written the file that is written
 */
record LogFiles(Path written) {
  private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,8}");

  /** Numbers of the filled files that are kept, lowest and so oldest first. */
  List<Integer> numbers() throws IOException {
    var begin = written.getFileName() + ".";
    var numbers = new ArrayList<Integer>();
    try (var files = Files.newDirectoryStream(directory())) {
      for (var file : files) {
        var name = file.getFileName().toString();
        if (name.startsWith(begin) && NUMBER.matcher(name.substring(begin.length())).matches()) {
          numbers.add(Integer.parseInt(name.substring(begin.length())));
        }
      }
    }
    numbers.sort(null);
    return numbers;
  }

  /** The oldest file that was filled after number {@code n}. */
  Optional<Integer> after(int n) throws IOException {
    return numbers().stream().filter(number -> number > n).findFirst();
  }

  /** Where they are. */
  Path directory() {
    return Objects.requireNonNull(written.toAbsolutePath().getParent(), "a root");
  }

  Path numbered(int n) {
    return written.resolveSibling(written.getFileName() + "." + n);
  }

  /** What tells a file from all others whatever its name; empty when it is not there. */
  static Optional<Object> key(Path file) throws IOException {
    try {
      return Optional.of(Files.readAttributes(file, BasicFileAttributes.class).fileKey());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }
}
