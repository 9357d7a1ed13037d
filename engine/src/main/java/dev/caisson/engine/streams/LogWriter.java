package dev.caisson.engine.streams;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;

/**
 * Writes a log in the Kubernetes format: a line is {@code TIME STREAM TAG TEXT}, tag {@code F} for
 * a whole line of the process and {@code P} for a part of one. Both streams of a process share one.
 * Used by the loop's thread only.
 */
final class LogWriter implements AutoCloseable {
  private static final byte[] STDOUT = " stdout F ".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] STDERR = " stderr F ".getBytes(StandardCharsets.US_ASCII);
  private static final int TAG_FROM_END = 2;
  private static final int TIME_LENGTH = 30;
  private static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGH_BITS = ONES << 7;
  private static final long NEWLINES = ONES * '\n';

  private final StreamPlan.LogPlan plan;
  private final LogFiles files;
  private FileChannel channel;
  private final LogPage page;

  private LogWriter(StreamPlan.LogPlan plan, LogPage page) throws IOException {
    this.plan = plan;
    this.files = new LogFiles(plan.file());
    this.page = page;
    this.channel = open();
  }

  static LogWriter open(StreamPlan.LogPlan plan, LogPage page) throws IOException {
    return new LogWriter(plan, page);
  }

  private FileChannel open() throws IOException {
    return FileChannel.open(
        plan.file(),
        StandardOpenOption.CREATE,
        StandardOpenOption.WRITE,
        StandardOpenOption.APPEND);
  }

  /**
   * Begins the next file when this one is full. Done before a batch, so that a batch is in one
   * file.
   */
  void rotateIfFull() throws IOException {
    if (channel.size() < plan.maxBytes()) {
      return;
    }
    if (plan.maxFiles() == 1) {
      channel.truncate(0);
      return;
    }
    var numbers = files.numbers();
    int next = numbers.isEmpty() ? 1 : numbers.getLast() + 1;
    Files.move(plan.file(), files.numbered(next), StandardCopyOption.ATOMIC_MOVE);
    channel.close();
    channel = open();
    // Kept are the file written and the newest before it.
    for (int number : numbers) {
      if (number <= next - (plan.maxFiles() - 1)) {
        Files.deleteIfExists(files.numbered(number));
      }
    }
  }

  long size() throws IOException {
    return channel.size();
  }

  void cutBackTo(long size) throws IOException {
    if (size < channel.size()) {
      channel.truncate(size);
    }
  }

  /** Appends a batch. */
  void append(MemorySegment bytes, boolean error, Instant at) throws IOException {
    var head = head(error, at);
    var lines = page.lines();
    long used = 0;
    for (long from = 0; from < bytes.byteSize(); ) {
      long to = newline(bytes, from);
      long length = to - from;
      if (used + head.length + length + 1 > lines.byteSize()) {
        write(used);
        used = 0;
      }
      MemorySegment.copy(head, 0, lines, JAVA_BYTE, used, head.length);
      used += head.length;
      if (to == bytes.byteSize()) {
        lines.set(JAVA_BYTE, used - TAG_FROM_END, (byte) 'P');
      }
      MemorySegment.copy(bytes, from, lines, used, length);
      used += length;
      lines.set(JAVA_BYTE, used++, (byte) '\n');
      from = to + 1;
    }
    write(used);
  }

  private void write(long length) throws IOException {
    var out = page.first(length);
    while (out.hasRemaining()) {
      channel.write(out);
    }
  }

  /**
   * Where the next newline is, or the end. Eight bytes at a time: of a word in which each newline
   * was made 0, exactly the lowest byte that is 0 keeps its high bit in {@code found}, bytes above
   * it may too.
   */
  private static long newline(MemorySegment bytes, long from) {
    long at = from;
    for (; at + Long.BYTES <= bytes.byteSize(); at += Long.BYTES) {
      long word = bytes.get(WORD, at) ^ NEWLINES;
      long found = (word - ONES) & ~word & HIGH_BITS;
      if (found != 0) {
        return at + (Long.numberOfTrailingZeros(found) >>> 3);
      }
    }
    while (at < bytes.byteSize() && bytes.get(JAVA_BYTE, at) != '\n') {
      at++;
    }
    return at;
  }

  /**
   * {@code 2016-10-06T00:17:09.669794202Z stdout F }; always nine digits, so that lines are
   * comparable as text.
   */
  private static byte[] head(boolean error, Instant at) {
    var stream = error ? STDERR : STDOUT;
    var head = new byte[TIME_LENGTH + stream.length];
    var seconds = Instant.ofEpochSecond(at.getEpochSecond()).toString();
    for (int i = 0; i < 19; i++) {
      head[i] = (byte) seconds.charAt(i);
    }
    head[19] = '.';
    int nanos = at.getNano();
    for (int i = 28; i > 19; i--) {
      head[i] = (byte) ('0' + nanos % 10);
      nanos /= 10;
    }
    head[29] = 'Z';
    System.arraycopy(stream, 0, head, TIME_LENGTH, stream.length);
    return head;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
