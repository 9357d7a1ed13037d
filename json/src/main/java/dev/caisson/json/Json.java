package dev.caisson.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Reads and writes JSON (RFC 8259, UTF-8).
 *
 * <p>Types of components and their JSON:
 *
 * <ul>
 *   <li>records: objects; {@link Inline} ones their only component; sealed interfaces marked {@link
 *       Tagged}: objects whose first field names the record
 *   <li>{@code Optional}: absent, or null, when empty
 *   <li>{@code List}, {@code Set}, {@code Map<String, …>}: arrays and objects; empty when absent or
 *       null, and left out when empty; order is kept
 *   <li>{@code int}, {@code long}: whole numbers, also written {@code 5.0} or {@code 1e9}; out of
 *       range is an error
 *   <li>{@code boolean}, {@code double}, {@code String}, enums (small letters, {@code -} for {@code
 *       _}, or {@link Name})
 *   <li>{@code Instant}: RFC 3339; {@code Duration}: whole nanoseconds; {@code Path}: text; {@code
 *       byte[]}: base64
 *   <li>{@code Object}: whatever is there: {@code Map}, {@code List}, {@code String}, {@code Long},
 *       {@code BigInteger}, {@code BigDecimal}, {@code Boolean} or null
 * </ul>
 *
 * <p>Fields that are absent and are none of these that have an empty form are an error, except
 * {@code boolean} (false), numbers (0) and {@code String} (empty), as Go's readers have it. Names
 * twice in an object are an error, so that nobody can show one value to a check and another to us.
 */
public final class Json {
  private static final JsonFactory FACTORY =
      new JsonFactoryBuilder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          // UTF-8 and nothing that may look like another encoding.
          .disable(JsonFactory.Feature.CHARSET_DETECTION)
          .disable(StreamWriteFeature.AUTO_CLOSE_CONTENT)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNumberLength(1000)
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNestingDepth(10_000)
                  .build())
          .build();

  private static final int FIRST_SIZE = 512;

  private Json() {}

  /** Reads a document. */
  public static <T> T read(byte[] document, Class<T> type) {
    return read(document, type, "", JsonLimits.USUAL);
  }

  /** Reads a document. */
  public static <T> T read(String document, Class<T> type) {
    return read(document.getBytes(StandardCharsets.UTF_8), type);
  }

  /**
   * Reads a document.
   *
   * @param origin what to call it in errors
   * @param limits bounds
   * @throws JsonException when it is not JSON, exceeds a bound or has another form
   */
  public static <T> T read(byte[] document, Class<T> type, String origin, JsonLimits limits) {
    return Reader.over(FACTORY, document, origin, limits, reader -> type.cast(reader.whole(type)));
  }

  /**
   * Reads a file.
   *
   * @throws JsonException as above, naming the file
   * @throws UncheckedIOException when it cannot be read
   */
  public static <T> T read(Path file, Class<T> type) {
    try {
      if (Files.size(file) > JsonLimits.USUAL.bytes()) {
        throw new JsonException(
            file.toString(), 1, 1, "", "longer than " + JsonLimits.USUAL.bytes() + " bytes");
      }
      return read(Files.readAllBytes(file), type, file.toString(), JsonLimits.USUAL);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads a stream to its end; at most {@code limits.bytes()} and one more byte are taken from it.
   */
  public static <T> T read(InputStream in, Class<T> type, String origin, JsonLimits limits)
      throws IOException {
    return read(in.readNBytes(limits.bytes() + 1), type, origin, limits);
  }

  /** Reads a document into a tree. */
  public static Object readTree(byte[] document, String origin, JsonLimits limits) {
    return Reader.over(FACTORY, document, origin, limits, reader -> reader.whole(Object.class));
  }

  /** Reads a document into a tree. */
  public static Object readTree(String document) {
    return readTree(document.getBytes(StandardCharsets.UTF_8), "", JsonLimits.USUAL);
  }

  /**
   * Where a field stands in a document that can be read; what it would be in when it is missing.
   *
   * @param path dotted, as {@link JsonException#path()} has it
   */
  public static JsonPlace find(byte[] document, String path) {
    return Reader.over(FACTORY, document, "", JsonLimits.USUAL, reader -> reader.find(path));
  }

  /** Turns a tree into a record, or a record into another that has the same JSON. */
  public static <T> T convert(Object value, Class<T> type) {
    return read(write(value), type);
  }

  /** Turns a record into a tree. */
  @SuppressWarnings("unchecked")
  public static Map<String, Object> tree(Record value) {
    return (Map<String, Object>) readTree(write(value), "", JsonLimits.USUAL);
  }

  /** Writes a record, tree or collection on one line. */
  public static byte[] write(Object value) {
    return write(value, false);
  }

  /** Like {@link #write}, as text. */
  public static String text(Object value) {
    return new String(write(value), StandardCharsets.UTF_8);
  }

  /** Writes with line breaks and two blanks for each level, for people. */
  public static String pretty(Object value) {
    return new String(write(value, true), StandardCharsets.UTF_8);
  }

  private static byte[] write(Object value, boolean pretty) {
    var out = new ByteArrayOutputStream(FIRST_SIZE);
    try (var generator = FACTORY.createGenerator(out)) {
      if (pretty) {
        generator.useDefaultPrettyPrinter();
      }
      new Writer(generator).value(value);
    } catch (IOException e) {
      throw new IllegalStateException("writing to memory does not fail", e);
    }
    return out.toByteArray();
  }
}
