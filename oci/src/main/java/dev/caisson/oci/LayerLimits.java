package dev.caisson.oci;

/**
 * How much one layer may ask for before it is taken for an attack.
 *
 * @param streamBytes longest archive after decompression, in bytes; zeros count here although they
 *     take no space on the disk
 * @param entries most entries
 * @param headerBytes longest extended header of one entry: long names, attributes and other PAX
 *     records together, in bytes
 * @param zstdWindowLog largest zstd window, as the power of two of its bytes, 10 to 31
 */
public record LayerLimits(long streamBytes, long entries, int headerBytes, int zstdWindowLog) {
  /** 256 GiB, 2,000,000 entries, 1 MiB of header, windows of 128 MiB. */
  public static final LayerLimits USUAL = new LayerLimits(256L << 30, 2_000_000, 1 << 20, 27);

  public LayerLimits {
    if (streamBytes < 0 || entries < 0 || headerBytes < 0) {
      throw new IllegalArgumentException(
          "layer limits %d, %d, %d: must not be negative"
              .formatted(streamBytes, entries, headerBytes));
    }
    if (zstdWindowLog < 10 || zstdWindowLog > 31) {
      throw new IllegalArgumentException("zstd window log " + zstdWindowLog + ": 10 to 31");
    }
  }

  /** These with another {@code streamBytes}. */
  public LayerLimits withStreamBytes(long streamBytes) {
    return new LayerLimits(streamBytes, entries, headerBytes, zstdWindowLog);
  }

  /** These with another {@code entries}. */
  public LayerLimits withEntries(long entries) {
    return new LayerLimits(streamBytes, entries, headerBytes, zstdWindowLog);
  }
}
