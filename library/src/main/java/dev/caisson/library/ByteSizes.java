package dev.caisson.library;

import java.math.BigDecimal;

/** Sizes in bytes as people write them: {@code 512}, {@code 64m}, {@code 1.5GiB}. */
public final class ByteSizes {
  private static final String UNITS = "kmgtpe";
  private static final int BITS = 10;
  private static final int LONGEST = 32;

  private ByteSizes() {}

  /**
   * Reads a size. Units are powers of 1024, in any case: {@code b}, {@code k}, {@code m}, {@code
   * g}, {@code t}, {@code p}, {@code e}, also with {@code b} or {@code ib} behind. A part of a byte
   * is dropped.
   *
   * @throws IllegalArgumentException naming what was given
   */
  public static long parse(String text) {
    int digits = 0;
    int points = 0;
    while (digits < text.length() && isNumeral(text.charAt(digits))) {
      points += text.charAt(digits) == '.' ? 1 : 0;
      digits++;
    }
    // The length bounds the work: a number of a million digits is no size.
    if (digits == points || points > 1 || digits > LONGEST) {
      throw unclear(text);
    }
    int shift = shift(text, text.substring(digits).strip());
    var bytes = new BigDecimal(text.substring(0, digits)).multiply(BigDecimal.valueOf(1L << shift));
    if (bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
      throw new IllegalArgumentException("size '" + text + "': more than 8 EiB");
    }
    return bytes.longValue();
  }

  private static boolean isNumeral(char c) {
    return (c >= '0' && c <= '9') || c == '.';
  }

  private static int shift(String text, String unit) {
    if (unit.isEmpty() || unit.equalsIgnoreCase("b")) {
      return 0;
    }
    int power = UNITS.indexOf(Character.toLowerCase(unit.charAt(0)));
    var behind = unit.substring(1);
    if (power < 0
        || (!behind.isEmpty() && !behind.equalsIgnoreCase("b") && !behind.equalsIgnoreCase("ib"))) {
      throw unclear(text);
    }
    return BITS * (power + 1);
  }

  private static IllegalArgumentException unclear(String text) {
    return new IllegalArgumentException(
        "size '" + text + "': say a number of bytes with b, k, m, g or t behind, such as 64m");
  }
}
