package dev.caisson.engine.spec;

import dev.caisson.json.Json;
import dev.caisson.json.JsonException;
import dev.caisson.json.JsonLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/**
 * Reads specifications of strangers. What comes out can work as far as its text can tell; all that
 * is wrong with another is told at once, each with file, line, column and field: {@code
 * /b/config.json:7:12: linux.resources.memory.limit: found -2, wanted …}.
 *
 * <p>At most 16 MiB and 100 levels are read. Numbers are whole ones; {@code 5.0} and {@code 1e9}
 * are. A name twice in an object and text after the end are errors, a byte order mark is not.
 */
public final class SpecReader {
  private SpecReader() {}

  /**
   * What was read.
   *
   * @param warnings what is odd but works
   */
  public record Reading<T>(T value, List<Finding> warnings) {
    /** Copies what could change under it. */
    public Reading {
      warnings = List.copyOf(warnings);
    }
  }

  /**
   * Reads a bundle's {@code config.json}.
   *
   * @throws SpecException when it cannot work
   * @throws IOException when it cannot be read
   */
  public static Reading<Spec> read(Path file) throws IOException {
    // One byte more than allowed is enough to be refused.
    try (var in = Files.newInputStream(file)) {
      return spec(in.readNBytes(JsonLimits.USUAL.bytes() + 1), file.toString());
    }
  }

  /**
   * Reads a whole specification.
   *
   * @param origin what to call the document in errors
   * @throws SpecException when it cannot work
   */
  public static Reading<Spec> spec(byte[] document, String origin) {
    return read(document, origin, Spec.class, SpecCheck::of);
  }

  /**
   * Reads the {@code process} section alone, as it is given to an exec.
   *
   * @param origin what to call the document in errors
   * @throws SpecException when it cannot work
   */
  public static Reading<Process> process(byte[] document, String origin) {
    return read(document, origin, Process.class, SpecCheck::of);
  }

  /**
   * Reads the {@code linux.resources} section alone, as it is given to an update.
   *
   * @param origin what to call the document in errors
   * @throws SpecException when it cannot work
   */
  public static Reading<Resources> resources(byte[] document, String origin) {
    return read(document, origin, Resources.class, SpecCheck::of);
  }

  private static <T> Reading<T> read(
      byte[] document, String origin, Class<T> type, Function<T, SpecCheck> check) {
    T value;
    try {
      value = Json.read(document, type, origin, JsonLimits.USUAL);
    } catch (JsonException e) {
      throw new SpecException(
          List.of(new Finding(e.path(), e.found())), List.of(String.valueOf(e.getMessage())), e);
    }
    var checked = check.apply(value);
    if (!checked.errors().isEmpty()) {
      throw new SpecException(
          checked.errors(),
          checked.errors().stream().map(error -> sentence(document, origin, error)).toList());
    }
    return new Reading<>(value, checked.warnings());
  }

  private static String sentence(byte[] document, String origin, Finding error) {
    var place = Json.find(document, error.path());
    return (origin.isEmpty() ? "line " : origin + ":")
        + place.line()
        + ":"
        + place.column()
        + ": "
        + error.text();
  }
}
