package dev.caisson.oci;

import dev.caisson.linux.ByteText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * Writes a tar archive: ustar, with a PAX header before entries that need one.
 *
 * <p>The same entries give the same bytes. Sparse files are written with their zeros. Source:
 * pax(1). For one thread.
 */
final class TarWriter implements AutoCloseable {
  private static final long LARGEST_OCTAL = 077777777777L;
  private static final long LARGEST_ID = 07777777L;
  private static final int NAME = 100;
  private static final int PREFIX = 155;

  private final OutputStream target;
  private final byte[] buffer = new byte[64 * 1024];

  TarWriter(OutputStream target) {
    this.target = target;
  }

  /** Adds an entry that has no content: all but a file, or an empty file. */
  void add(TarEntry entry) throws IOException {
    add(entry, InputStream.nullInputStream());
  }

  /**
   * Adds an entry with its content.
   *
   * @throws IOException also if the content is shorter than the entry's size; a longer one is cut
   */
  void add(TarEntry entry, InputStream content) throws IOException {
    byte[] path = ByteText.encode(entry.path());
    byte[] link = ByteText.encode(entry.target());
    int split = split(path);
    byte[] records = records(entry, path, link, split);
    if (records.length > 0) {
      writeHeader(header("PaxHeader", 'x', records.length));
      target.write(records);
      pad(records.length);
    }
    writeHeader(header(entry, path, link, split));
    copy(entry, content);
  }

  private byte[] records(TarEntry entry, byte[] path, byte[] link, int split) {
    var records = new ByteArrayOutputStream();
    if (split < 0 || !isAscii(path)) {
      record(records, "path", path);
    }
    if (link.length > NAME || !isAscii(link)) {
      record(records, "linkpath", link);
    }
    if (entry.size() > LARGEST_OCTAL) {
      record(records, "size", ascii(Long.toString(entry.size())));
    }
    if (entry.uid() > LARGEST_ID) {
      record(records, "uid", ascii(Long.toString(entry.uid())));
    }
    if (entry.gid() > LARGEST_ID) {
      record(records, "gid", ascii(Long.toString(entry.gid())));
    }
    if (!fits(entry.modified())) {
      record(records, "mtime", ascii(seconds(entry.modified())));
    }
    entry.attributes().forEach((key, value) -> record(records, "SCHILY.xattr." + key, value));
    return records.toByteArray();
  }

  private static boolean fits(Instant time) {
    return time.getNano() == 0
        && time.getEpochSecond() >= 0
        && time.getEpochSecond() <= LARGEST_OCTAL;
  }

  /** Seconds with their fraction, without zeros at its end. */
  private static String seconds(Instant time) {
    long whole = time.getEpochSecond();
    long nanos = time.getNano();
    String sign = "";
    if (whole < 0 && nanos > 0) {
      sign = whole == -1 ? "-" : "";
      whole++;
      nanos = 1_000_000_000 - nanos;
    }
    String text = sign + whole;
    return nanos == 0 ? text : text + "." + "%09d".formatted(nanos).replaceFirst("0+$", "");
  }

  /** The length in front counts itself. */
  private static void record(ByteArrayOutputStream records, String key, byte[] value) {
    byte[] name = ByteText.encode(key);
    int rest = name.length + value.length + 3;
    int length = rest + Integer.toString(rest).length();
    length = rest + Integer.toString(length).length();
    records.writeBytes(ascii(length + " "));
    records.writeBytes(name);
    records.write('=');
    records.writeBytes(value);
    records.write('\n');
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static boolean isAscii(byte[] bytes) {
    for (byte value : bytes) {
      if (value < 0) {
        return false;
      }
    }
    return true;
  }

  /** Where the prefix of a path ends: 0 if it needs none, -1 if it does not fit. */
  private static int split(byte[] path) {
    if (path.length <= NAME) {
      return 0;
    }
    for (int i = Math.min(PREFIX, path.length - 2); i >= path.length - NAME - 1 && i > 0; i--) {
      if (path[i] == '/') {
        return i;
      }
    }
    return -1;
  }

  private static byte[] header(TarEntry entry, byte[] path, byte[] link, int split) {
    long size = entry.type() == TarEntry.Type.FILE ? entry.size() : 0;
    byte[] block = header("", entry.type().letter(), Math.min(size, LARGEST_OCTAL));
    if (split > 0) {
      put(block, 345, PREFIX, path, 0, split);
      put(block, 0, NAME, path, split + 1, path.length);
    } else {
      put(block, 0, NAME, path, 0, path.length);
    }
    put(block, 157, NAME, link, 0, link.length);
    octal(block, 100, 8, entry.mode());
    octal(block, 108, 8, Math.min(entry.uid(), LARGEST_ID));
    octal(block, 116, 8, Math.min(entry.gid(), LARGEST_ID));
    octal(block, 136, 12, fits(entry.modified()) ? entry.modified().getEpochSecond() : 0);
    octal(block, 329, 8, entry.device().major());
    octal(block, 337, 8, entry.device().minor());
    return block;
  }

  private static byte[] header(String name, char type, long size) {
    byte[] block = new byte[TarHeader.SIZE];
    put(block, 0, NAME, ascii(name), 0, name.length());
    octal(block, 100, 8, 0644);
    octal(block, 108, 8, 0);
    octal(block, 116, 8, 0);
    octal(block, 124, 12, size);
    octal(block, 136, 12, 0);
    block[156] = (byte) type;
    put(block, 257, 8, ascii("ustar\00000"), 0, 8);
    return block;
  }

  private static void put(byte[] block, int at, int space, byte[] text, int from, int to) {
    System.arraycopy(text, from, block, at, Math.min(space, to - from));
  }

  private static void octal(byte[] block, int at, int space, long value) {
    String digits = Long.toOctalString(value);
    byte[] text = ascii("0".repeat(Math.max(0, space - 1 - digits.length())) + digits);
    System.arraycopy(text, 0, block, at, space - 1);
  }

  private void writeHeader(byte[] block) throws IOException {
    long sum = 8 * ' ';
    for (byte value : block) {
      sum += value & 0xFF;
    }
    System.arraycopy(ascii("%06o\0 ".formatted(sum)), 0, block, 148, 8);
    target.write(block);
  }

  private void copy(TarEntry entry, InputStream content) throws IOException {
    if (entry.type() != TarEntry.Type.FILE) {
      return;
    }
    long left = entry.size();
    while (left > 0) {
      int count = content.read(buffer, 0, (int) Math.min(left, buffer.length));
      if (count < 0) {
        throw new IOException(
            "write '"
                + entry.path()
                + "' to an archive: its content ends "
                + left
                + " bytes early, it was changed meanwhile");
      }
      target.write(buffer, 0, count);
      left -= count;
    }
    pad(entry.size());
  }

  private void pad(long size) throws IOException {
    target.write(new byte[(int) (-size & TarHeader.SIZE - 1)]);
  }

  /** Writes the end mark and flushes. The target stays open. */
  @Override
  public void close() throws IOException {
    target.write(new byte[2 * TarHeader.SIZE]);
    target.flush();
  }
}
