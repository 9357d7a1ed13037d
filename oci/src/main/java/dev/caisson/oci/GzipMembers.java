package dev.caisson.oci;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;

/**
 * Unpacks gzip: any number of members after each other, each checked against its sum.
 *
 * <p>The JDK's stream asks {@code available()} whether another member follows, which ends a layer
 * early on streams that answer 0. Here only the end of the data ends it; zeros at the end are
 * padding. Source: RFC 1952.
 */
final class GzipMembers extends InputStream {
  private static final int BUFFER = 64 * 1024;
  private static final int FLAG_CRC = 2;
  private static final int FLAG_EXTRA = 4;
  private static final int FLAG_NAME = 8;
  private static final int FLAG_COMMENT = 16;

  private final InputStream packed;
  private final RawInflation inflater;
  private final CRC32 sum = new CRC32();

  /** The first bytes are the last of the input before, in case they turn out to be unused. */
  private final byte[] input = new byte[RawInflation.READ_AHEAD + BUFFER];

  private int position = RawInflation.READ_AHEAD;
  private int limit = RawInflation.READ_AHEAD;
  private long length;
  private boolean inMember;
  private boolean ended;

  GzipMembers(InputStream packed) {
    this(packed, RawInflation.open());
  }

  GzipMembers(InputStream packed, RawInflation inflater) {
    this.packed = packed;
    this.inflater = inflater;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] target, int offset, int space) throws IOException {
    if (space == 0) {
      return 0;
    }
    while (!ended) {
      if (!inMember) {
        startMember();
        continue;
      }
      int count = inflate(target, offset, space);
      if (count > 0) {
        sum.update(target, offset, count);
        length += count;
        return count;
      }
      if (inflater.finished()) {
        endMember();
      } else if (position == limit && !fill()) {
        throw new EOFException("gzip: the data end in the middle of a member");
      }
    }
    return -1;
  }

  private int inflate(byte[] target, int offset, int space) throws IOException {
    try {
      int count = inflater.inflate(input, position, limit - position, target, offset, space);
      position += inflater.consumed();
      return count;
    } catch (IOException e) {
      throw new IOException("gzip: " + e.getMessage(), e);
    }
  }

  private boolean fill() throws IOException {
    System.arraycopy(input, limit - RawInflation.READ_AHEAD, input, 0, RawInflation.READ_AHEAD);
    int count = packed.read(input, RawInflation.READ_AHEAD, BUFFER);
    position = RawInflation.READ_AHEAD;
    limit = RawInflation.READ_AHEAD + Math.max(count, 0);
    return count > 0;
  }

  private int next() throws IOException {
    if (position == limit && !fill()) {
      throw new EOFException("gzip: the data end in the middle of a header or sum");
    }
    return input[position++] & 0xFF;
  }

  private void startMember() throws IOException {
    int first = skipPadding();
    if (first < 0) {
      ended = true;
      return;
    }
    if (first != 0x1f || next() != 0x8b || next() != 8) {
      throw new IOException("gzip: something else follows the last member");
    }
    int flags = next();
    for (int i = 0; i < 6; i++) {
      next();
    }
    if ((flags & FLAG_EXTRA) != 0) {
      int extra = next() | next() << 8;
      for (int i = 0; i < extra; i++) {
        next();
      }
    }
    skipText((flags & FLAG_NAME) != 0);
    skipText((flags & FLAG_COMMENT) != 0);
    if ((flags & FLAG_CRC) != 0) {
      next();
      next();
    }
    inflater.reset();
    sum.reset();
    length = 0;
    inMember = true;
  }

  private int skipPadding() throws IOException {
    while (position < limit || fill()) {
      int value = next();
      if (value != 0) {
        return value;
      }
    }
    return -1;
  }

  private void skipText(boolean present) throws IOException {
    while (present && next() != 0) {
      // up to the NUL at its end
    }
  }

  private void endMember() throws IOException {
    long wanted = fourBytes();
    long told = fourBytes();
    if (wanted != sum.getValue()) {
      throw new IOException("gzip: the data do not have the sum their member tells");
    }
    if (told != (length & 0xFFFFFFFFL)) {
      throw new IOException("gzip: the data do not have the length their member tells");
    }
    inMember = false;
  }

  private long fourBytes() throws IOException {
    return next() | next() << 8 | next() << 16 | (long) next() << 24;
  }

  @Override
  public void close() throws IOException {
    inflater.close();
    ended = true;
    packed.close();
  }
}
