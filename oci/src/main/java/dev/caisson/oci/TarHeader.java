package dev.caisson.oci;

import dev.caisson.linux.ByteText;
import java.util.Arrays;

/**
 * The 512 bytes before each entry of a tar archive.
 *
 * <p>Layout: name 0..100, mode 100..108, uid 108..116, gid 116..124, size 124..136, mtime 136..148,
 * checksum 148..156, type 156, link 157..257, magic 257..265, device numbers 329..337 and 337..345,
 * prefix 345..500 (POSIX), or sparse map 386..482 with a mark at 482 and the real size at 483..495
 * (GNU). Source: pax(1), GNU tar manual, "Basic Tar Format".
 */
record TarHeader(byte[] block) {
  static final int SIZE = 512;
  private static final int CHECKSUM = 148;
  private static final int MAGIC = 257;

  boolean isZero() {
    for (byte value : block) {
      if (value != 0) {
        return false;
      }
    }
    return true;
  }

  /** Old programs added the bytes as signed numbers; both sums are fine. */
  boolean hasRightSum() {
    long unsigned = 0;
    long signed = 0;
    for (int i = 0; i < SIZE; i++) {
      byte value = i >= CHECKSUM && i < CHECKSUM + 8 ? (byte) ' ' : block[i];
      unsigned += value & 0xFF;
      signed += value;
    }
    try {
      long sum = number(CHECKSUM, 8);
      return sum == unsigned || sum == signed;
    } catch (DamagedLayerException e) {
      return false;
    }
  }

  char type() {
    return (char) (block[156] & 0xFF);
  }

  boolean isPosix() {
    return matches("ustar\0");
  }

  boolean isGnu() {
    return matches("ustar ");
  }

  private boolean matches(String magic) {
    for (int i = 0; i < magic.length(); i++) {
      if (block[MAGIC + i] != magic.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Prefix and name together. */
  String path() {
    String name = text(0, 100);
    String prefix = isPosix() ? text(345, 155) : "";
    return prefix.isEmpty() ? name : prefix + "/" + name;
  }

  String link() {
    return text(157, 100);
  }

  private String text(int offset, int length) {
    int end = offset;
    while (end < offset + length && block[end] != 0) {
      end++;
    }
    return ByteText.decode(Arrays.copyOfRange(block, offset, end));
  }

  /**
   * A number: octal digits between blanks and NULs, or, with the top bit of the first byte set,
   * binary.
   */
  long number(int offset, int length) throws DamagedLayerException {
    if ((block[offset] & 0x80) != 0) {
      return binary(offset, length);
    }
    long value = 0;
    boolean digits = false;
    for (int i = offset; i < offset + length; i++) {
      byte c = block[i];
      if (c >= '0' && c <= '7') {
        if (value >>> 60 != 0) {
          throw new DamagedLayerException("tar header: a number is too large");
        }
        value = value << 3 | c - '0';
        digits = true;
      } else if (c == 0 || c == ' ') {
        if (digits) {
          break;
        }
      } else {
        throw new DamagedLayerException("tar header: a number has the byte " + c + " in it");
      }
    }
    return value;
  }

  private long binary(int offset, int length) throws DamagedLayerException {
    boolean negative = (block[offset] & 0x40) != 0;
    long value = negative ? -1 : 0;
    for (int i = offset; i < offset + length; i++) {
      int part = block[i] & 0xFF;
      if (i == offset) {
        part = negative ? part | 0x80 : part & 0x7F;
        value = negative ? -1L << 8 | part : part;
        continue;
      }
      if (value > Long.MAX_VALUE >> 8 || value < Long.MIN_VALUE >> 8) {
        throw new DamagedLayerException("tar header: a number is too large");
      }
      value = value << 8 | part;
    }
    return value;
  }
}
