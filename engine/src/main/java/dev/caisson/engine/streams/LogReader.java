package dev.caisson.engine.streams;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Reads a log that {@link LogWriter} writes, across its files, oldest entry first. While it is
 * followed, files that are rotated meanwhile are read to their ends first.
 */
public final class LogReader implements AutoCloseable {
  private static final int BUFFER = 64 << 10;
  private static final long FOLLOW_PAUSE_MILLIS = 20;
  private static final int TIME_LENGTH = 30;
  private static final int TAG_AT = 38;
  private static final int TEXT_AT = 40;

  private final Path file;
  private final BooleanSupplier goesOn;
  private final ArrayDeque<Path> older;
  private Optional<Open> open = Optional.empty();
  private byte[] line = new byte[512];

  /**
   * A piece of output.
   *
   * @param at when it was read from the process
   * @param error from standard error
   * @param bytes unchanged; with its newline where a line ends
   */
  public record Entry(Instant at, boolean error, byte[] bytes) {}

  private record Open(FileChannel channel, InputStream in, Object key) {}

  private LogReader(Path file, List<Path> older, BooleanSupplier goesOn) {
    this.file = file;
    this.older = new ArrayDeque<>(older);
    this.goesOn = goesOn;
  }

  /**
   * Opens a log.
   *
   * @param file the file that is written
   * @param goesOn whether at its end more is to be waited for
   */
  public static LogReader open(Path file, BooleanSupplier goesOn) throws IOException {
    var older = new ArrayList<Path>();
    for (int i = 1; Files.exists(numbered(file, i)); i++) {
      older.addFirst(numbered(file, i));
    }
    return new LogReader(file, older, goesOn);
  }

  private static Path numbered(Path file, int n) {
    return file.resolveSibling(file.getFileName() + "." + n);
  }

  /** The next entry; empty at the end. Waits at the end while it is to go on. */
  public Optional<Entry> next() throws IOException {
    for (; ; ) {
      if (open.isEmpty() && !openNext()) {
        // Missing for good, or for the moment between two files.
        if (goesOn.getAsBoolean() && pause()) {
          continue;
        }
        return Optional.empty();
      }
      int length = readLine(open.orElseThrow().in());
      if (length >= 0) {
        return Optional.of(parse(length));
      }
      // Asked before looking once more: what was written before the answers is then seen.
      boolean rotated = !older.isEmpty() || wasRotated();
      boolean more = goesOn.getAsBoolean();
      length = readLine(open.orElseThrow().in());
      if (length >= 0) {
        return Optional.of(parse(length));
      }
      if (rotated) {
        queueFilesAfterOpen();
        closeOpen();
        continue;
      }
      if (!more || !pause()) {
        return Optional.empty();
      }
    }
  }

  /** False when the thread is wanted elsewhere. */
  private static boolean pause() {
    try {
      Thread.sleep(FOLLOW_PAUSE_MILLIS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private boolean openNext() throws IOException {
    return openNext(older.isEmpty() ? file : older.pollFirst());
  }

  private boolean openNext(Path next) throws IOException {
    FileChannel channel;
    Object key;
    try {
      key = key(next);
      channel = FileChannel.open(next, StandardOpenOption.READ);
    } catch (NoSuchFileException e) {
      return false;
    }
    if (!Files.exists(next) || !key(next).equals(key)) {
      // Renamed meanwhile: which one was opened is not known.
      channel.close();
      return openNext(next);
    }
    open =
        Optional.of(
            new Open(
                channel, new BufferedInputStream(Channels.newInputStream(channel), BUFFER), key));
    return true;
  }

  /** Whether the file just read to its end is not the one written any more. */
  private boolean wasRotated() throws IOException {
    Object written;
    try {
      written = key(file);
    } catch (NoSuchFileException e) {
      return false;
    }
    var current = open.orElseThrow();
    return !written.equals(current.key())
        || current.channel().size() < current.channel().position();
  }

  /** The files between the one just read and the one written, found by what they are. */
  private void queueFilesAfterOpen() throws IOException {
    older.clear();
    var read = open.orElseThrow().key();
    for (int i = 1; Files.exists(numbered(file, i)); i++) {
      if (key(numbered(file, i)).equals(read)) {
        return;
      }
      older.addFirst(numbered(file, i));
    }
  }

  private static Object key(Path of) throws IOException {
    return Files.readAttributes(of, BasicFileAttributes.class).fileKey();
  }

  /** Reads a line into {@link #line} without its newline; -1 when there is no whole one yet. */
  private int readLine(InputStream in) throws IOException {
    in.mark(1 << 20);
    int length = 0;
    for (int b; (b = in.read()) >= 0; ) {
      if (b == '\n') {
        return length;
      }
      if (length == line.length) {
        line = Arrays.copyOf(line, line.length * 2);
      }
      line[length++] = (byte) b;
    }
    if (length > 0) {
      in.reset();
    }
    return -1;
  }

  private Entry parse(int length) throws IOException {
    if (length < TEXT_AT) {
      throw new EOFException("log '" + file + "': a line of " + length + " bytes is none of ours");
    }
    try {
      var at = Instant.parse(new String(line, 0, TIME_LENGTH, StandardCharsets.US_ASCII));
      boolean whole = line[TAG_AT] == 'F';
      var bytes = Arrays.copyOfRange(line, TEXT_AT, length + (whole ? 1 : 0));
      if (whole) {
        bytes[bytes.length - 1] = '\n';
      }
      return new Entry(at, line[TIME_LENGTH + 4] == 'e', bytes);
    } catch (DateTimeException e) {
      throw new IOException("log '" + file + "': a line without a time", e);
    }
  }

  private void closeOpen() throws IOException {
    if (open.isPresent()) {
      open.get().channel().close();
      open = Optional.empty();
    }
  }

  @Override
  public void close() throws IOException {
    closeOpen();
  }
}
