package dev.caisson.oci;

import dev.caisson.linux.KernelException;
import dev.caisson.linux.OpenFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Writes the content of files, leaving holes where there are only zeros. One for many files; for
 * one thread.
 */
final class FileContent implements AutoCloseable {
  private static final int BUFFER = 256 * 1024;

  /** Shorter runs of zeros are written: a hole that small costs more than it saves. */
  private static final int HOLE = 16 * 1024;

  private final Arena memory = Arena.ofConfined();
  private final MemorySegment outside = memory.allocate(BUFFER);
  private final byte[] inside = new byte[BUFFER];
  private final byte[] zeros = new byte[HOLE];
  private long written;

  /** Bytes written so far, without holes. */
  long written() {
    return written;
  }

  /** Writes the extents of the archive's current entry. */
  void write(TarReader archive, TarEntry entry, OpenFile file) throws IOException {
    long end = 0;
    for (TarEntry.Extent extent : entry.extents()) {
      long at = extent.offset();
      long left = extent.length();
      while (left > 0) {
        int length = fill(archive, (int) Math.min(left, BUFFER));
        end = Math.max(end, put(file, at, length));
        at += length;
        left -= length;
      }
    }
    if (end < entry.size()) {
      file.truncate(entry.size());
    }
  }

  private int fill(TarReader archive, int wanted) throws IOException {
    int length = 0;
    while (length < wanted) {
      int count = archive.read(inside, length, wanted - length);
      if (count < 0) {
        throw archive.damaged("less content than its sparse map tells");
      }
      length += count;
    }
    return length;
  }

  /** Writes the buffer but for its zeros; returns where in the file the written part ends. */
  private long put(OpenFile file, long at, int length) throws KernelException {
    long end = 0;
    int from = 0;
    while (from < length) {
      if (isHole(from, length)) {
        from += HOLE;
        continue;
      }
      int to = from;
      while (to < length && !isHole(to, length)) {
        to += HOLE;
      }
      to = Math.min(to, length);
      MemorySegment.copy(inside, from, outside, ValueLayout.JAVA_BYTE, 0, to - from);
      file.write(outside.asSlice(0, to - from), at + from);
      written += to - from;
      end = at + to;
      from = to;
    }
    return end;
  }

  private boolean isHole(int from, int length) {
    return length - from >= HOLE && Arrays.equals(inside, from, from + HOLE, zeros, 0, HOLE);
  }

  /** Copies what is stored of a file, holes staying holes. */
  void copy(OpenFile from, OpenFile to) throws KernelException {
    long size = from.status().size();
    long at = 0;
    while (at < size) {
      var data = from.nextData(at);
      if (data.isEmpty()) {
        break;
      }
      long end = Math.min(from.nextHole(data.getAsLong()), size);
      at = data.getAsLong();
      while (at < end) {
        long count = copyPart(from, to, at, end - at);
        if (count == 0) {
          break;
        }
        at += count;
      }
      at = end;
    }
    to.truncate(size);
  }

  private long copyPart(OpenFile from, OpenFile to, long at, long length) throws KernelException {
    try {
      return to.copyFrom(from, at, at, length);
    } catch (KernelException e) {
      switch (e.errno()) {
        case EXDEV, EINVAL, EOPNOTSUPP, ENOSYS, EBADF, EPERM -> {
          long count = from.read(outside.asSlice(0, Math.min(length, BUFFER)), at);
          to.write(outside.asSlice(0, count), at);
          return count;
        }
        default -> throw e;
      }
    }
  }

  @Override
  public void close() {
    memory.close();
  }
}
