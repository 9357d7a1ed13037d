package dev.caisson.json;

/**
 * Bounds on what is read.
 *
 * @param bytes longest document
 * @param depth deepest nesting of objects and arrays
 * @param elements most values in all
 */
public record JsonLimits(int bytes, int depth, int elements) {
  /** For documents of strangers and friends alike: 16 MiB, 100 levels, a million values. */
  public static final JsonLimits USUAL = new JsonLimits(16 << 20, 100, 1_000_000);

  /** Checks that each is at least 1. */
  public JsonLimits {
    if (bytes < 1 || depth < 1 || elements < 1) {
      throw new IllegalArgumentException(
          "limits " + bytes + ", " + depth + ", " + elements + ": each must be at least 1");
    }
  }
}
