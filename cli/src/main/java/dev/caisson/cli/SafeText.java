package dev.caisson.cli;

/**
 * Text from images, containers and the daemon as it may be shown on a terminal.
 *
 * <p>Control characters, which move the cursor, hide lines or set titles, and format characters,
 * which change the order of what is read, are written out: {@code \n}, {@code \x1b}, {@code U+202e}
 * as <code>&#92;u202e</code>.
 */
final class SafeText {
  private static final String HEX = "0123456789abcdef";
  private static final int ESCAPE_LENGTH = 8;

  private SafeText() {}

  /** The text with everything dangerous written out. */
  static String of(String text) {
    if (isHarmless(text)) {
      return text;
    }
    var safe = new StringBuilder(text.length() + ESCAPE_LENGTH);
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      if (isDangerous(c)) {
        escape(safe, c);
      } else {
        safe.appendCodePoint(c);
      }
      i += Character.charCount(c);
    }
    return safe.toString();
  }

  /** JSON whose strings have everything dangerous in JSON's own escapes. */
  static String json(String json) {
    var safe = new StringBuilder(json.length());
    for (int i = 0; i < json.length(); i++) {
      char c = json.charAt(i);
      // Blanks between the values are the only control characters outside of strings.
      boolean plain = c == '\n' || c < 0x7f || (!isDangerous(c) && !Character.isSurrogate(c));
      if (plain) {
        safe.append(c);
      } else {
        hex(safe.append("\\u"), c, 4);
      }
    }
    return safe.toString();
  }

  private static boolean isHarmless(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ' || c > '~') {
        return false;
      }
    }
    return true;
  }

  private static boolean isDangerous(int c) {
    if (c < 0x7f) {
      return c < ' ';
    }
    int type = Character.getType(c);
    return type == Character.CONTROL
        || type == Character.FORMAT
        || type == Character.SURROGATE
        || type == Character.LINE_SEPARATOR
        || type == Character.PARAGRAPH_SEPARATOR;
  }

  private static void escape(StringBuilder safe, int c) {
    safe.append('\\');
    switch (c) {
      case '\n' -> safe.append('n');
      case '\t' -> safe.append('t');
      case '\r' -> safe.append('r');
      case '\b' -> safe.append('b');
      default -> {
        if (c < 0x80) {
          hex(safe.append('x'), c, 2);
        } else if (c < 0x1_0000) {
          hex(safe.append('u'), c, 4);
        } else {
          hex(safe.append('U'), c, 8);
        }
      }
    }
  }

  private static void hex(StringBuilder safe, int c, int digits) {
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
      safe.append(HEX.charAt(c >> shift & 0xf));
    }
  }
}
