package dev.caisson.library.protocol;

import dev.caisson.json.Json;
import java.nio.charset.StandardCharsets;

/** The outer form of the lines both sides write; see the primer in this package's description. */
public final class Wire {
  private static final byte[] RESULT = "{\"result\":".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ITEM = "{\"item\":".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ERROR = "{\"error\":".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NOTHING = "{}".getBytes(StandardCharsets.US_ASCII);

  /** Longest line, in bytes; bounds what a stranger can make the other side keep in memory. */
  public static final int LONGEST_LINE = 8 << 20;

  private Wire() {}

  /** What a line of the daemon is. */
  public enum Kind {
    ITEM,
    RESULT,
    ERROR
  }

  /** The line, newline included, that ends a call well. */
  public static byte[] result(Object value) {
    return wrap(RESULT, Json.write(value));
  }

  /** The line that ends a call well which has nothing to tell. */
  public static byte[] done() {
    return wrap(RESULT, NOTHING);
  }

  /** A line on the way. */
  public static byte[] item(Object value) {
    return wrap(ITEM, Json.write(value));
  }

  /** The line that ends a failed call. */
  public static byte[] error(Failure failure) {
    return wrap(ERROR, Json.write(failure));
  }

  /** A request's line, newline included. */
  public static byte[] request(Request request) {
    var json = Json.write(request);
    var line = new byte[json.length + 1];
    System.arraycopy(json, 0, line, 0, json.length);
    line[json.length] = '\n';
    return line;
  }

  /**
   * Tells what a line of the daemon is.
   *
   * @throws IllegalArgumentException when it is none of the three
   */
  public static Kind kind(byte[] line) {
    if (startsWith(line, RESULT)) {
      return Kind.RESULT;
    }
    if (startsWith(line, ITEM)) {
      return Kind.ITEM;
    }
    if (startsWith(line, ERROR)) {
      return Kind.ERROR;
    }
    throw new IllegalArgumentException("a line that is no result, item or error");
  }

  /** The JSON inside a line of the given kind. */
  public static byte[] body(byte[] line, Kind kind) {
    var prefix =
        switch (kind) {
          case RESULT -> RESULT;
          case ITEM -> ITEM;
          case ERROR -> ERROR;
        };
    var body = new byte[line.length - prefix.length - 1];
    System.arraycopy(line, prefix.length, body, 0, body.length);
    return body;
  }

  private static byte[] wrap(byte[] prefix, byte[] json) {
    var line = new byte[prefix.length + json.length + 2];
    System.arraycopy(prefix, 0, line, 0, prefix.length);
    System.arraycopy(json, 0, line, prefix.length, json.length);
    line[line.length - 2] = '}';
    line[line.length - 1] = '\n';
    return line;
  }

  private static boolean startsWith(byte[] line, byte[] prefix) {
    if (line.length < prefix.length + 1) {
      return false;
    }
    for (int i = 0; i < prefix.length; i++) {
      if (line[i] != prefix[i]) {
        return false;
      }
    }
    return true;
  }
}
