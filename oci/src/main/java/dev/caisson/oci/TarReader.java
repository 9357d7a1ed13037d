package dev.caisson.oci;

import dev.caisson.linux.ByteText;
import dev.caisson.linux.DeviceNumber;
import dev.caisson.oci.TarEntry.Extent;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Reads a tar archive front to back: the old form, POSIX ustar, PAX and GNU, with sparse files.
 *
 * <p>A PAX path goes before a GNU long name, that before prefix and name of the header. Names and
 * attribute values are bytes and stay so. Failures are {@link DamagedLayerException}s that name
 * entry and offset in the unpacked archive. For one thread.
 */
final class TarReader {
  private static final int MOST_EXTENTS = 1 << 20;
  private static final long LARGEST_ID = 0xFFFFFFFEL;
  private static final int SKIP_BUFFER = 64 * 1024;

  private final InputStream archive;
  private final LayerLimits limits;
  private final PaxRecords global = new PaxRecords();
  private final byte[] skipped = new byte[SKIP_BUFFER];
  private long position;
  private long entries;

  /** Bytes of the current entry's content that have not been read, and the padding after it. */
  private long left;

  private long padding;
  private long headerAt;
  private String name = "";

  TarReader(InputStream archive, LayerLimits limits) {
    this.archive = archive;
    this.limits = limits;
  }

  /** Number of bytes read from the archive. */
  long position() {
    return position;
  }

  /** Number of entries so far. */
  long entries() {
    return entries;
  }

  /** The next entry; empty at the end. What is left of the content of the one before is skipped. */
  Optional<TarEntry> next() throws IOException {
    skip(left + padding);
    left = 0;
    padding = 0;
    name = "";
    var longName = Optional.<String>empty();
    var longLink = Optional.<String>empty();
    var records = new PaxRecords();
    while (true) {
      headerAt = position;
      var header = readHeader();
      if (header.isEmpty()) {
        if (longName.isPresent() || longLink.isPresent() || !records.isEmpty()) {
          throw damaged("the archive ends after an extended header");
        }
        return Optional.empty();
      }
      var block = header.get();
      switch (block.type()) {
        case 'L' -> longName = Optional.of(text(extension(block)));
        case 'K' -> longLink = Optional.of(text(extension(block)));
        case 'x', 'X' -> records.parse(extension(block));
        case 'g' -> global.parse(extension(block));
        case 'V' -> extension(block);
        default -> {
          records.addMissing(global);
          return Optional.of(entry(block, records, longName, longLink));
        }
      }
    }
  }

  private static String text(byte[] bytes) {
    int end = bytes.length;
    while (end > 0 && bytes[end - 1] == 0) {
      end--;
    }
    return ByteText.decode(Arrays.copyOf(bytes, end));
  }

  private Optional<TarHeader> readHeader() throws IOException {
    var block = new byte[TarHeader.SIZE];
    int count = archive.readNBytes(block, 0, block.length);
    count(count);
    if (count == 0) {
      return Optional.empty();
    }
    if (count < block.length) {
      throw damaged("the archive ends in the middle of a header");
    }
    var header = new TarHeader(block);
    if (header.isZero()) {
      return Optional.empty();
    }
    if (!header.hasRightSum()) {
      throw damaged(
          headerAt == 0 ? "this is no tar archive" : "a header does not have its checksum");
    }
    return Optional.of(header);
  }

  private byte[] extension(TarHeader header) throws IOException {
    long size = header.number(124, 12);
    if (size < 0 || size > limits.headerBytes()) {
      throw damaged(
          "an extended header of " + size + " bytes; the limit is " + limits.headerBytes());
    }
    byte[] content = archive.readNBytes((int) size);
    count(content.length);
    if (content.length < size) {
      throw damaged("the archive ends in the middle of an extended header");
    }
    skip(paddingOf(size));
    return content;
  }

  private TarEntry entry(
      TarHeader header, PaxRecords records, Optional<String> longName, Optional<String> longLink)
      throws IOException {
    name = records.text("path").or(() -> longName).orElseGet(header::path);
    name = records.text("GNU.sparse.name").orElse(name);
    if (++entries > limits.entries()) {
      throw damaged("too many entries; the limit is " + limits.entries());
    }
    var type = type(header.type());
    long stored = records.number("size").orElse(header.number(124, 12));
    if (stored < 0) {
      throw damaged("a size of " + stored);
    }
    if (stored > limits.streamBytes() - position) {
      throw damaged("unpacked size over limit: the limit is " + limits.streamBytes() + " bytes");
    }
    left = stored;
    padding = paddingOf(stored);
    var content =
        type == TarEntry.Type.FILE ? content(header, records, stored) : new Content(0, List.of());
    return new TarEntry(
        name,
        type,
        records.text("linkpath").or(() -> longLink).orElseGet(header::link),
        (int) header.number(100, 8) & 07777,
        id("uid", records.number("uid").orElse(header.number(108, 8))),
        id("gid", records.number("gid").orElse(header.number(116, 8))),
        content.size,
        time(header, records),
        device(header, type),
        Collections.unmodifiableSortedMap(records.attributes()),
        content.extents);
  }

  private TarEntry.Type type(char letter) throws DamagedLayerException {
    return switch (letter) {
      // Old archives mark directories by the slash alone.
      case '\0', '0', '7' -> name.endsWith("/") ? TarEntry.Type.DIRECTORY : TarEntry.Type.FILE;
      case 'S' -> TarEntry.Type.FILE;
      case '1' -> TarEntry.Type.HARD_LINK;
      case '2' -> TarEntry.Type.SYMBOLIC_LINK;
      case '3' -> TarEntry.Type.CHARACTER_DEVICE;
      case '4' -> TarEntry.Type.BLOCK_DEVICE;
      case '5', 'D' -> TarEntry.Type.DIRECTORY;
      case '6' -> TarEntry.Type.FIFO;
      default -> throw damaged("an entry of the unknown type '" + letter + "'");
    };
  }

  private long id(String what, long value) throws DamagedLayerException {
    if (value < 0 || value > LARGEST_ID) {
      throw damaged(what + " " + value + " is out of range");
    }
    return value;
  }

  private Instant time(TarHeader header, PaxRecords records) throws IOException {
    var precise = records.time("mtime");
    if (precise.isPresent()) {
      return precise.get();
    }
    try {
      return Instant.ofEpochSecond(header.number(136, 12));
    } catch (DateTimeException e) {
      throw new DamagedLayerException(describe("a time that is out of range"), e);
    }
  }

  private DeviceNumber device(TarHeader header, TarEntry.Type type) throws IOException {
    if (type != TarEntry.Type.CHARACTER_DEVICE && type != TarEntry.Type.BLOCK_DEVICE) {
      return DeviceNumber.NONE;
    }
    long major = header.number(329, 8);
    long minor = header.number(337, 8);
    try {
      return new DeviceNumber(Math.toIntExact(major), Math.toIntExact(minor));
    } catch (ArithmeticException | IllegalArgumentException e) {
      throw new DamagedLayerException(describe("device " + major + ":" + minor), e);
    }
  }

  // ---- sparse files

  private record Content(long size, List<Extent> extents) {}

  private Content content(TarHeader header, PaxRecords records, long stored) throws IOException {
    if (header.type() == 'S') {
      var map = new ArrayList<Long>();
      boolean more = readOldMap(header, 386, 4, map) && header.block()[482] != 0;
      while (more) {
        var block = new TarHeader(readBlock());
        more = readOldMap(block, 0, 21, map) && block.block()[504] != 0;
      }
      return sparse(header.number(483, 12), map, stored);
    }
    var realSize = records.number("GNU.sparse.realsize").or(() -> sizeOfOldForm(records));
    var map = records.sparseMap();
    if (map.isPresent() && realSize.isPresent()) {
      return sparse(realSize.get(), map.get(), stored);
    }
    if (records.number("GNU.sparse.major").filter(major -> major == 1).isPresent()
        && realSize.isPresent()) {
      var inData = readMapInData();
      return sparse(realSize.get(), inData, left);
    }
    return new Content(stored, stored == 0 ? List.of() : List.of(new Extent(0, stored)));
  }

  private static Optional<Long> sizeOfOldForm(PaxRecords records) {
    return records.text("GNU.sparse.size").filter(s -> s.matches("\\d{1,18}")).map(Long::valueOf);
  }

  /** Returns whether the map may go on in a further block. */
  private boolean readOldMap(TarHeader block, int offset, int count, List<Long> map)
      throws IOException {
    for (int i = 0; i < count; i++) {
      int at = offset + 24 * i;
      if (block.block()[at] == 0) {
        return false;
      }
      add(map, block.number(at, 12));
      add(map, block.number(at + 12, 12));
    }
    return true;
  }

  private void add(List<Long> map, long value) throws DamagedLayerException {
    if (map.size() >= 2 * MOST_EXTENTS) {
      throw damaged("a sparse map of more than " + MOST_EXTENTS + " parts");
    }
    map.add(value);
  }

  private byte[] readBlock() throws IOException {
    byte[] block = archive.readNBytes(TarHeader.SIZE);
    count(block.length);
    if (block.length < TarHeader.SIZE) {
      throw damaged("the archive ends in the middle of a sparse map");
    }
    return block;
  }

  /** The newest form: decimal numbers, one a line, in whole blocks before the data. */
  private List<Long> readMapInData() throws IOException {
    var map = new ArrayList<Long>();
    var line = new StringBuilder();
    long wanted = -1;
    while (wanted < 0 || map.size() < wanted) {
      if (left < TarHeader.SIZE) {
        throw damaged("the sparse map does not end");
      }
      String block = new String(readBlock(), StandardCharsets.ISO_8859_1);
      left -= TarHeader.SIZE;
      for (int i = 0; i < block.length() && (wanted < 0 || map.size() < wanted); i++) {
        char c = block.charAt(i);
        if (c != '\n') {
          line.append(c);
          continue;
        }
        if (line.isEmpty()
            || line.length() > 18
            || !line.chars().allMatch(d -> d >= '0' && d <= '9')) {
          throw damaged("the sparse map has the line '" + line + "'");
        }
        long value = Long.parseLong(line.toString());
        line.setLength(0);
        if (wanted < 0) {
          wanted = 2 * value;
          if (value > MOST_EXTENTS) {
            throw damaged("a sparse map of " + value + " parts");
          }
        } else {
          add(map, value);
        }
      }
    }
    return map;
  }

  private Content sparse(long size, List<Long> map, long stored) throws IOException {
    if (size < 0 || map.size() % 2 != 0) {
      throw damaged("a sparse map that is not complete");
    }
    var extents = new ArrayList<Extent>();
    long end = 0;
    long sum = 0;
    for (int i = 0; i < map.size(); i += 2) {
      long offset = map.get(i);
      long length = map.get(i + 1);
      if (offset < end || length < 0 || length > size || offset > size - length) {
        throw damaged("a sparse map whose parts do not follow each other within the file");
      }
      end = offset + length;
      sum += length;
      if (length > 0) {
        extents.add(new Extent(offset, length));
      }
    }
    if (sum != stored) {
      throw damaged("a sparse map of " + sum + " bytes for " + stored + " stored");
    }
    return new Content(size, extents);
  }

  // ---- content

  /** Reads stored bytes of the current entry; -1 when all are read. */
  int read(byte[] target, int offset, int length) throws IOException {
    if (left == 0) {
      return -1;
    }
    int count = archive.read(target, offset, (int) Math.min(length, left));
    if (count < 0) {
      throw damaged("the archive ends with " + left + " bytes of this entry missing");
    }
    count(count);
    left -= count;
    return count;
  }

  /** The stored bytes of the current entry as a stream, which ends with them. */
  InputStream content() {
    return new InputStream() {
      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
      }

      @Override
      public int read(byte[] target, int offset, int length) throws IOException {
        return TarReader.this.read(target, offset, length);
      }
    };
  }

  /** Reads what follows the end mark, which belongs to the archive's digest, and drops it. */
  void drain() throws IOException {
    while (true) {
      int count = archive.read(skipped, 0, skipped.length);
      if (count < 0) {
        return;
      }
      count(count);
    }
  }

  private void skip(long length) throws IOException {
    long rest = length;
    while (rest > 0) {
      int count = archive.read(skipped, 0, (int) Math.min(rest, skipped.length));
      if (count < 0) {
        throw damaged("the archive ends with " + rest + " bytes of this entry missing");
      }
      count(count);
      rest -= count;
    }
  }

  private void count(int bytes) throws DamagedLayerException {
    position += bytes;
    if (position > limits.streamBytes()) {
      throw damaged("unpacked size over limit: the limit is " + limits.streamBytes() + " bytes");
    }
  }

  private static long paddingOf(long size) {
    return -size & TarHeader.SIZE - 1;
  }

  /** A failure that names the entry and where it stands. */
  DamagedLayerException damaged(String what) {
    return new DamagedLayerException(describe(what));
  }

  private String describe(String what) {
    String shown = name.length() > 200 ? name.substring(0, 200) + "…" : name;
    return (shown.isEmpty() ? "" : "entry '" + shown + "', ")
        + "offset "
        + position
        + " of the unpacked archive: "
        + what;
  }
}
