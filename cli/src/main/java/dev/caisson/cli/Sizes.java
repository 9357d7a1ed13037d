package dev.caisson.cli;

/** Sizes for people. */
final class Sizes {
  private static final String[] DECIMAL = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  private static final String[] BINARY = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

  private Sizes() {}

  /** Three digits and powers of 1000, as for images: {@code 4.26MB}. */
  static String decimal(long bytes) {
    return format(bytes, 1000, DECIMAL, 3);
  }

  /** Four digits and powers of 1024, as for memory: {@code 1.523MiB}. */
  static String binary(long bytes) {
    return format(bytes, 1024, BINARY, 4);
  }

  private static String format(long bytes, int base, String[] units, int digits) {
    double value = bytes;
    int unit = 0;
    while (value >= base && unit < units.length - 1) {
      value /= base;
      unit++;
    }
    int decimals = digits - (value >= 1000 ? 4 : value >= 100 ? 3 : value >= 10 ? 2 : 1);
    return fixed(value, Math.max(decimals, 0)) + units[unit];
  }

  /** A number with at most so many decimals, without zeros at its end. */
  static String fixed(double value, int decimals) {
    long scale = 1;
    for (int i = 0; i < decimals; i++) {
      scale *= 10;
    }
    long scaled = Math.round(value * scale);
    long whole = scaled / scale;
    long part = scaled % scale;
    if (part == 0) {
      return Long.toString(whole);
    }
    var fraction = new StringBuilder(Long.toString(part));
    while (fraction.length() < decimals) {
      fraction.insert(0, '0');
    }
    while (fraction.charAt(fraction.length() - 1) == '0') {
      fraction.setLength(fraction.length() - 1);
    }
    return whole + "." + fraction;
  }

  /** A share in hundredths: {@code 12.50%}. */
  static String percent(double share) {
    long hundredths = Math.round(share * 10_000);
    long part = hundredths % 100;
    return hundredths / 100 + "." + (part < 10 ? "0" : "") + part + "%";
  }
}
