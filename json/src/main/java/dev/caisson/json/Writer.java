package dev.caisson.json;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes one document. */
final class Writer {
  private final JsonGenerator out;

  Writer(JsonGenerator out) {
    this.out = out;
  }

  void value(@Nullable Object value) throws IOException {
    switch (value) {
      case null -> out.writeNull();
      case String text -> out.writeString(text);
      case Boolean truth -> out.writeBoolean(truth);
      case Integer number -> out.writeNumber(number);
      case Long number -> out.writeNumber(number);
      case Record record -> record(record);
      case Optional<?> optional -> value(optional.orElse(null));
      case Collection<?> collection -> {
        out.writeStartArray();
        for (var element : collection) {
          value(element);
        }
        out.writeEndArray();
      }
      case Map<?, ?> map -> {
        out.writeStartObject();
        entries(map);
        out.writeEndObject();
      }
      case Enum<?> constant -> out.writeString(name(constant));
      case BigInteger number -> out.writeNumber(number);
      case BigDecimal number -> out.writeNumber(number);
      case Double number -> out.writeNumber(number);
      case Instant instant -> out.writeString(instant.toString());
      case Duration duration -> out.writeNumber(duration.toNanos());
      case Path path -> out.writeString(path.toString());
      case byte[] bytes -> out.writeString(Base64.getEncoder().encodeToString(bytes));
      default -> throw new IllegalArgumentException("no JSON form for " + value.getClass());
    }
  }

  private void entries(Map<?, ?> map) throws IOException {
    for (var entry : map.entrySet()) {
      out.writeFieldName((String) entry.getKey());
      value(entry.getValue());
    }
  }

  private void record(Record record) throws IOException {
    switch (Shape.KNOWN.get(record.getClass())) {
      case Shape.OfInline(_, var accessor, _) -> value(Shape.get(accessor, record));
      case Shape.OfRecord shape -> {
        out.writeStartObject();
        tag(record);
        fields(record, shape);
        out.writeEndObject();
      }
      case Shape.OfFamily _, Shape.OfEnum _, Shape.Plain _ ->
          throw new IllegalStateException("a record has a record's shape");
    }
  }

  /** A member of a tagged family says which it is, wherever it stands. */
  private void tag(Record record) throws IOException {
    for (var type : record.getClass().getInterfaces()) {
      if (Shape.KNOWN.get(type) instanceof Shape.OfFamily(var tag, _, var names)) {
        out.writeStringField(tag, names.get(record.getClass()));
        return;
      }
    }
  }

  private void fields(Record record, Shape.OfRecord shape) throws IOException {
    var fields = shape.fields();
    for (int i = 0; i < fields.length; i++) {
      var value = Shape.get(fields[i].accessor(), record);
      if (i == shape.unknown()) {
        entries((Map<?, ?>) value);
        continue;
      }
      switch (value) {
        case null -> {}
        case Optional<?> optional when optional.isEmpty() -> {}
        case Collection<?> collection when collection.isEmpty() -> {}
        case Map<?, ?> map when map.isEmpty() -> {}
        default -> {
          out.writeFieldName(fields[i].name());
          if (fields[i].unsigned()) {
            unsigned(value instanceof Optional<?> optional ? optional.get() : value);
          } else {
            value(value);
          }
        }
      }
    }
  }

  private void unsigned(Object value) throws IOException {
    var bits = (Long) value;
    if (bits >= 0) {
      out.writeNumber(bits);
    } else {
      out.writeNumber(new BigInteger(Long.toUnsignedString(bits)));
    }
  }

  @SuppressWarnings("EnumOrdinal") // the names were listed in the order of the constants
  private static String name(Enum<?> constant) {
    return Shape.KNOWN.get(constant.getDeclaringClass()) instanceof Shape.OfEnum shape
        ? shape.names()[constant.ordinal()]
        : constant.name();
  }
}
