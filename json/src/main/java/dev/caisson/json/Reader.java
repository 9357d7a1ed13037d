package dev.caisson.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import java.io.CharConversionException;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads one document, value by value, straight into what was asked for. */
final class Reader {
  private static final BigInteger LARGEST_UNSIGNED =
      BigInteger.ONE.shiftLeft(Long.SIZE).subtract(BigInteger.ONE);
  private static final int LONGEST_QUOTED = 60;
  private static final int LARGEST_SCALE = 1000;

  private final JsonParser parser;
  private final String origin;
  private final JsonLimits limits;
  private int elements;
  private int depth;

  private Reader(JsonParser parser, String origin, JsonLimits limits) {
    this.parser = parser;
    this.origin = origin;
    this.limits = limits;
  }

  private static final byte[] MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

  /** Something done with a reader. */
  interface Use<T> {
    T with(Reader reader) throws IOException;
  }

  static <T> T over(
      JsonFactory factory, byte[] document, String origin, JsonLimits limits, Use<T> use) {
    if (document.length > limits.bytes()) {
      throw new JsonException(origin, 1, 1, "", "longer than " + limits.bytes() + " bytes");
    }
    int start = startsWithMark(document) ? MARK.length : 0;
    try (var parser = factory.createParser(document, start, document.length - start)) {
      return use.with(new Reader(parser, origin, limits));
    } catch (JsonProcessingException e) {
      var at = e.getLocation();
      throw new JsonException(
          origin,
          at == null ? 1 : at.getLineNr(),
          at == null ? 1 : at.getColumnNr(),
          "",
          "not JSON: " + e.getOriginalMessage(),
          e);
    } catch (CharConversionException e) {
      throw new JsonException(origin, 1, 1, "", "not JSON: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new IllegalStateException("reading from memory does not fail", e);
    }
  }

  /** Whether it begins with a byte order mark, which some editors write. */
  private static boolean startsWithMark(byte[] document) {
    return document.length >= MARK.length
        && Arrays.equals(document, 0, MARK.length, MARK, 0, MARK.length);
  }

  /** The document's only value. */
  Object whole(Class<?> type) throws IOException {
    if (parser.nextToken() == null) {
      throw new JsonException(origin, 1, 1, "", "an empty document, wanted " + word(type));
    }
    if (parser.currentToken() == JsonToken.VALUE_NULL) {
      throw wrong("null, wanted " + word(type));
    }
    var value = Objects.requireNonNull(value(type, false), "only null reads as null");
    if (hasMore()) {
      throw wrong("text after the end of the document");
    }
    return value;
  }

  private boolean hasMore() throws IOException {
    try {
      return parser.nextToken() != null;
    } catch (JsonParseException e) {
      return true;
    }
  }

  /** Where the field with the longest path is that is {@code wanted} or holds it. */
  JsonPlace find(String wanted) throws IOException {
    var found = new JsonPlace(1, 1);
    int longest = -1;
    for (var token = parser.nextToken(); token != null; token = parser.nextToken()) {
      if (token == JsonToken.FIELD_NAME || token.isStructEnd()) {
        continue;
      }
      var here = path(parser.getParsingContext());
      if (here.length() > longest && holds(here, wanted)) {
        var at = parser.currentTokenLocation();
        found = new JsonPlace(at.getLineNr(), at.getColumnNr());
        longest = here.length();
      }
    }
    return found;
  }

  private static boolean holds(String outer, String inner) {
    return outer.isEmpty()
        || inner.startsWith(outer)
            && (inner.length() == outer.length()
                || ".[".indexOf(inner.charAt(outer.length())) >= 0);
  }

  private @Nullable Object value(Type type, boolean unsigned) throws IOException {
    if (++elements > limits.elements()) {
      throw wrong("more than " + limits.elements() + " values");
    }
    var raw = Shape.raw(type);
    if (raw == Optional.class) {
      return parser.currentToken() == JsonToken.VALUE_NULL
          ? Optional.empty()
          : Optional.ofNullable(value(Shape.parameter(type, 0), unsigned));
    }
    if (raw == List.class || raw == Set.class) {
      return collection(Shape.parameter(type, 0), raw == Set.class);
    }
    if (raw == Map.class) {
      return map(Shape.parameter(type, 1));
    }
    return switch (Shape.KNOWN.get(raw)) {
      case Shape.OfRecord shape -> record(shape);
      case Shape.OfInline shape ->
          construct(shape.constructor(), new Object[] {value(shape.inner(), false)});
      case Shape.OfEnum shape -> constant(shape);
      case Shape.OfFamily shape -> member(shape);
      case Shape.Plain(var plain) -> plain(plain, unsigned);
    };
  }

  private Object record(Shape.OfRecord shape) throws IOException {
    open(JsonToken.START_OBJECT, "an object");
    var record = fields(shape);
    depth--;
    return record;
  }

  private Object member(Shape.OfFamily shape) throws IOException {
    open(JsonToken.START_OBJECT, "an object");
    if (parser.nextToken() != JsonToken.FIELD_NAME || !parser.currentName().equals(shape.tag())) {
      throw wrong("the first field must be '" + shape.tag() + "'");
    }
    parser.nextToken();
    var name = text();
    var type = shape.byName().get(name);
    if (type == null) {
      throw wrong("unknown '" + quoted(name) + "'");
    }
    var record = fields((Shape.OfRecord) Shape.KNOWN.get(type));
    depth--;
    return record;
  }

  /** Reads fields up to the end of the object and makes the record. */
  private Object fields(Shape.OfRecord shape) throws IOException {
    var fields = shape.fields();
    var values = new @Nullable Object[fields.length];
    Map<String, Object> unknown = shape.unknown() < 0 ? Map.of() : new LinkedHashMap<>();
    int next = 0;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      var name = parser.currentName();
      parser.nextToken();
      int at = shape.indexOf(name, next);
      if (at >= 0) {
        var field = fields[at];
        values[at] =
            parser.currentToken() == JsonToken.VALUE_NULL && field.type() != Object.class
                ? null
                : value(field.type(), field.unsigned());
        next = at + 1;
      } else if (shape.unknown() >= 0) {
        unknown.put(name, value(Object.class, false));
      } else {
        parser.skipChildren();
      }
    }
    for (int i = 0; i < fields.length; i++) {
      if (i == shape.unknown()) {
        values[i] = unknown;
      } else if (values[i] == null) {
        values[i] = absent(fields[i]);
      }
    }
    return construct(shape.constructor(), values);
  }

  private @Nullable Object absent(Shape.Field field) {
    var raw = Shape.raw(field.type());
    if (raw == Optional.class) {
      return Optional.empty();
    } else if (raw == List.class) {
      return List.of();
    } else if (raw == Set.class) {
      return Set.of();
    } else if (raw == Map.class) {
      return Map.of();
    } else if (raw == boolean.class) {
      return false;
    } else if (raw == int.class) {
      return 0;
    } else if (raw == long.class) {
      return 0L;
    } else if (raw == double.class) {
      return 0.0;
    } else if (raw == String.class) {
      return "";
    } else if (raw == Object.class) {
      return null;
    } else if (raw == byte[].class) {
      return new byte[0];
    }
    throw wrong("the field '" + field.name() + "' is missing");
  }

  private Object construct(Constructor<?> constructor, @Nullable Object[] values) {
    try {
      return constructor.newInstance(values);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IllegalArgumentException refusal) {
        throw wrong(String.valueOf(refusal.getMessage()));
      }
      throw new IllegalStateException(constructor + " failed", e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("a record's constructor can be called", e);
    }
  }

  private Object collection(Type inner, boolean unique) throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_NULL) {
      return unique ? Set.of() : List.of();
    }
    open(JsonToken.START_ARRAY, "an array");
    var list = new ArrayList<@Nullable Object>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      if (parser.currentToken() == JsonToken.VALUE_NULL && inner != Object.class) {
        throw wrong("null in an array");
      }
      list.add(value(inner, false));
    }
    depth--;
    return unique
        ? Collections.unmodifiableSet(new LinkedHashSet<>(list))
        : Collections.unmodifiableList(list);
  }

  private Object map(Type inner) throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_NULL) {
      return Map.of();
    }
    open(JsonToken.START_OBJECT, "an object");
    var map = new LinkedHashMap<String, @Nullable Object>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      var name = parser.currentName();
      parser.nextToken();
      map.put(name, value(inner, false));
    }
    depth--;
    return Collections.unmodifiableMap(map);
  }

  private void open(JsonToken token, String wanted) {
    if (parser.currentToken() != token) {
      throw wrong(found() + ", wanted " + wanted);
    }
    if (++depth > limits.depth()) {
      throw wrong("nested deeper than " + limits.depth() + " levels");
    }
  }

  private Object constant(Shape.OfEnum shape) throws IOException {
    var name = text();
    for (int i = 0; i < shape.names().length; i++) {
      if (shape.names()[i].equals(name)) {
        return shape.constants()[i];
      }
    }
    throw wrong("'" + quoted(name) + "', wanted one of " + String.join(", ", shape.names()));
  }

  private @Nullable Object plain(Class<?> type, boolean unsigned) throws IOException {
    if (type == String.class) {
      return text();
    } else if (type == long.class || type == Long.class) {
      return whole64(unsigned);
    } else if (type == int.class || type == Integer.class) {
      var value = whole64(false);
      if (value != (int) value) {
        throw wrong(quoted(parser.getText()) + " does not fit into 32 bits");
      }
      return (int) value;
    } else if (type == boolean.class || type == Boolean.class) {
      return switch (parser.currentToken()) {
        case VALUE_TRUE -> true;
        case VALUE_FALSE -> false;
        default -> throw wrong(found() + ", wanted true or false");
      };
    } else if (type == Object.class) {
      return tree();
    } else if (type == double.class || type == Double.class) {
      return number().doubleValue();
    } else if (type == BigDecimal.class) {
      return number();
    } else if (type == BigInteger.class) {
      return integer();
    } else if (type == Instant.class) {
      return instant();
    } else if (type == Duration.class) {
      return Duration.ofNanos(whole64(false));
    } else if (type == Path.class) {
      return Path.of(text());
    } else if (type == byte[].class) {
      try {
        return Base64.getDecoder().decode(text());
      } catch (IllegalArgumentException e) {
        throw wrong("not base64");
      }
    }
    throw new IllegalArgumentException("no JSON form for " + type);
  }

  private Instant instant() throws IOException {
    var text = text();
    try {
      return text.endsWith("Z") ? Instant.parse(text) : OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException e) {
      throw wrong("'" + quoted(text) + "' is no RFC 3339 time");
    }
  }

  private String text() throws IOException {
    if (parser.currentToken() != JsonToken.VALUE_STRING) {
      throw wrong(found() + ", wanted text");
    }
    return parser.getText();
  }

  private BigDecimal number() throws IOException {
    if (!parser.currentToken().isNumeric()) {
      throw wrong(found() + ", wanted a number");
    }
    return decimal();
  }

  private BigDecimal decimal() throws IOException {
    try {
      return parser.getDecimalValue();
    } catch (NumberFormatException e) {
      // Its exponent has more digits than can be counted.
      throw wrong(quoted(parser.getText()) + " is out of range");
    }
  }

  private BigInteger integer() throws IOException {
    var number = number();
    if (Math.abs((long) number.scale()) > LARGEST_SCALE) {
      throw wrong(quoted(parser.getText()) + " is out of range");
    }
    try {
      return number.toBigIntegerExact();
    } catch (ArithmeticException e) {
      throw wrong(quoted(parser.getText()) + " is not a whole number");
    }
  }

  private long whole64(boolean unsigned) throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT
        && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
      var value = parser.getLongValue();
      if (unsigned && value < 0) {
        throw wrong(value + " is negative");
      }
      return value;
    }
    var integer = integer();
    if (unsigned
        ? integer.signum() < 0 || integer.compareTo(LARGEST_UNSIGNED) > 0
        : integer.bitLength() >= Long.SIZE) {
      throw wrong(quoted(parser.getText()) + " does not fit into 64 bits");
    }
    return integer.longValue();
  }

  private @Nullable Object tree() throws IOException {
    return switch (parser.currentToken()) {
      case START_OBJECT -> map(Object.class);
      case START_ARRAY -> collection(Object.class, false);
      case VALUE_STRING -> parser.getText();
      case VALUE_NUMBER_INT ->
          parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
              ? parser.getBigIntegerValue()
              : (Object) parser.getLongValue();
      case VALUE_NUMBER_FLOAT -> decimal();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> throw wrong(found());
    };
  }

  private String found() {
    return switch (parser.currentToken()) {
      case START_OBJECT -> "an object";
      case START_ARRAY -> "an array";
      case VALUE_STRING -> "text";
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number";
      case VALUE_TRUE, VALUE_FALSE -> "true or false";
      case VALUE_NULL -> "null";
      default -> "no value";
    };
  }

  private static String word(Class<?> type) {
    return type.isRecord() || type.isInterface() ? "an object" : "a value";
  }

  private static String quoted(String text) {
    return text.length() <= LONGEST_QUOTED ? text : text.substring(0, LONGEST_QUOTED) + "…";
  }

  private JsonException wrong(String found) {
    var at = parser.currentTokenLocation();
    return new JsonException(
        origin, at.getLineNr(), at.getColumnNr(), path(parser.getParsingContext()), found);
  }

  private static String path(JsonStreamContext context) {
    var path = new StringBuilder();
    for (var at = context; at != null && !at.inRoot(); at = at.getParent()) {
      if (at.inArray() && at.hasCurrentIndex()) {
        path.insert(0, "[" + at.getCurrentIndex() + "]");
      } else if (at.hasCurrentName()) {
        path.insert(0, "." + at.getCurrentName());
      }
    }
    return path.isEmpty() || path.charAt(0) != '.' ? path.toString() : path.substring(1);
  }
}
