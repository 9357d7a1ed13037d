package dev.caisson.oci;

import dev.caisson.linux.ByteText;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The records of an extended header: "length key=value\n", values being bytes. Source: pax(1), "pax
 * Extended Header"; GNU tar manual, "Storing Sparse Files".
 */
final class PaxRecords {
  private static final String ATTRIBUTE = "SCHILY.xattr.";
  private static final String SPARSE_OFFSET = "GNU.sparse.offset";
  private static final String SPARSE_LENGTH = "GNU.sparse.numbytes";

  private final Map<String, byte[]> values = new HashMap<>();

  /** Offsets and lengths of the oldest sparse form, whose keys are repeated. */
  private final List<Long> sparsePairs = new ArrayList<>();

  void parse(byte[] header) throws DamagedLayerException {
    int at = 0;
    while (at < header.length && header[at] != 0) {
      int blank = indexOf(header, ' ', at, header.length);
      int length = decimal(header, at, blank);
      int end = at + length;
      if (blank < 0 || length <= blank - at + 1 || end > header.length || header[end - 1] != '\n') {
        throw new DamagedLayerException("extended header: a record does not have its length");
      }
      int equals = indexOf(header, '=', blank + 1, end);
      if (equals < 0) {
        throw new DamagedLayerException("extended header: a record without '='");
      }
      String key = ByteText.decode(Arrays.copyOfRange(header, blank + 1, equals));
      put(key, Arrays.copyOfRange(header, equals + 1, end - 1));
      at = end;
    }
  }

  private void put(String key, byte[] value) throws DamagedLayerException {
    if (key.equals(SPARSE_OFFSET) || key.equals(SPARSE_LENGTH)) {
      sparsePairs.add(number(key, value));
    } else {
      values.put(key, value);
    }
  }

  private static int indexOf(byte[] bytes, char wanted, int from, int to) {
    for (int i = from; i < to; i++) {
      if (bytes[i] == wanted) {
        return i;
      }
    }
    return -1;
  }

  private static int decimal(byte[] bytes, int from, int to) {
    int value = 0;
    for (int i = from; i < to && value < 1 << 26; i++) {
      if (bytes[i] < '0' || bytes[i] > '9') {
        return -1;
      }
      value = value * 10 + bytes[i] - '0';
    }
    return value;
  }

  /** Adds the records of another header, those here going first. */
  void addMissing(PaxRecords global) {
    global.values.forEach(values::putIfAbsent);
  }

  boolean isEmpty() {
    return values.isEmpty() && sparsePairs.isEmpty();
  }

  /** A text; empty records count as missing, which is how a value of a global header is unset. */
  Optional<String> text(String key) {
    byte[] value = values.get(key);
    return value == null || value.length == 0
        ? Optional.empty()
        : Optional.of(ByteText.decode(value));
  }

  Optional<Long> number(String key) throws DamagedLayerException {
    byte[] value = values.get(key);
    return value == null || value.length == 0 ? Optional.empty() : Optional.of(number(key, value));
  }

  private static long number(String key, byte[] value) throws DamagedLayerException {
    String text = new String(value, StandardCharsets.ISO_8859_1);
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new DamagedLayerException(
          "extended header: " + key + " is no number: '" + text + "'", e);
    }
  }

  /** A time in seconds with a fraction, for example "-1.25" or "1700000000.123456789". */
  Optional<Instant> time(String key) throws DamagedLayerException {
    var text = text(key);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    String value = text.get();
    int dot = value.indexOf('.');
    try {
      if (dot < 0) {
        return Optional.of(Instant.ofEpochSecond(Long.parseLong(value)));
      }
      String whole = value.substring(0, dot);
      String fraction = (value.substring(dot + 1) + "000000000").substring(0, 9);
      long seconds = whole.isEmpty() || whole.equals("-") ? 0 : Long.parseLong(whole);
      long nanos = Integer.parseUnsignedInt(fraction);
      return Optional.of(Instant.ofEpochSecond(seconds, whole.startsWith("-") ? -nanos : nanos));
    } catch (NumberFormatException | DateTimeException | ArithmeticException e) {
      throw new DamagedLayerException(
          "extended header: " + key + " is no time: '" + value + "'", e);
    }
  }

  /** The extended attributes. */
  SortedMap<String, byte[]> attributes() {
    var attributes = new TreeMap<String, byte[]>();
    values.forEach((key, value) -> {
      if (key.startsWith(ATTRIBUTE)) {
        attributes.put(key.substring(ATTRIBUTE.length()), value);
      }
    });
    return attributes;
  }

  /** The sparse map if it stands in the header, as offset, length, offset, length. */
  Optional<List<Long>> sparseMap() throws DamagedLayerException {
    if (!sparsePairs.isEmpty()) {
      return Optional.of(List.copyOf(sparsePairs));
    }
    var map = text("GNU.sparse.map");
    if (map.isEmpty()) {
      return Optional.empty();
    }
    var numbers = new ArrayList<Long>();
    for (String number : map.get().split(",")) {
      numbers.add(number("GNU.sparse.map", number.getBytes(StandardCharsets.UTF_8)));
    }
    return Optional.of(numbers);
  }
}
