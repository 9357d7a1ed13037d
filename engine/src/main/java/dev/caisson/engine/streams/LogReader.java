package dev.caisson.engine.streams;

import dev.caisson.linux.Inotify;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Reads a log that {@link LogWriter} writes, across its files, oldest entry first. While it is
 * followed, files that are rotated meanwhile are read to their ends first.
 */
public final class LogReader implements AutoCloseable {
  private static final int BUFFER = 64 << 10;

  /** At the end it is looked again after this time, should a change not have been told. */
  private static final int LONGEST_PAUSE_MILLIS = 1_000;

  private static final int TIME_LENGTH = 30;
  private static final int TAG_AT = 38;
  private static final int TEXT_AT = 40;

  private final LogFiles files;
  private final BooleanSupplier goesOn;
  private int finished; // number of the last file that was read to its end
  private Optional<Open> open = Optional.empty();
  private Optional<Inotify> watch = Optional.empty();
  private byte[] line = new byte[512];

  /**
   * A piece of output.
   *
   * @param at when it was read from the process
   * @param error from standard error
   * @param bytes unchanged; with its newline where a line ends
   */
  public record Entry(Instant at, boolean error, byte[] bytes) {}

  /** A file that is read; {@code number} 0 when it was the one written as it was opened. */
  private record Open(FileChannel channel, InputStream in, Object key, int number) {}

  private LogReader(LogFiles files, BooleanSupplier goesOn) {
    this.files = files;
    this.goesOn = goesOn;
  }

  /**
   * Opens a log.
   *
   * @param file the file that is written
   * @param goesOn whether at its end more is to be waited for
   */
  public static LogReader open(Path file, BooleanSupplier goesOn) {
    return new LogReader(new LogFiles(file), goesOn);
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
        var entry = parse(length);
        if (entry.isPresent()) {
          return entry;
        }
        continue;
      }
      // Asked before looking once more: what was written before the answers is then seen.
      boolean full = isFull();
      boolean more = goesOn.getAsBoolean();
      length = readLine(open.orElseThrow().in());
      if (length >= 0) {
        var entry = parse(length);
        if (entry.isPresent()) {
          return entry;
        }
        continue;
      }
      if (full) {
        finished = numberOfOpen();
        closeOpen();
        continue;
      }
      if (!more || !pause()) {
        return Optional.empty();
      }
    }
  }

  /**
   * Waits until the log's directory changes; the writer's closing of the file, at the end, is a
   * change too. False when the thread is wanted elsewhere.
   */
  private boolean pause() throws IOException {
    if (watch.isEmpty()) {
      // What happened before the watch began is looked at once more before there is any waiting.
      watch = Optional.of(Inotify.of(files.directory()));
    } else {
      watch.get().await(LONGEST_PAUSE_MILLIS);
    }
    return !Thread.currentThread().isInterrupted();
  }

  /**
   * Opens the file after the last one finished. The one written may be filled and renamed at any
   * moment, so which file was opened is settled by a look after the opening.
   */
  private boolean openNext() throws IOException {
    for (; ; ) {
      var number = files.after(finished);
      var path = number.map(files::numbered).orElse(files.written());
      FileChannel channel;
      try {
        channel = FileChannel.open(path, StandardOpenOption.READ);
      } catch (NoSuchFileException e) {
        if (number.isPresent() || files.after(finished).isPresent()) {
          // Dropped or renamed between the look and the opening.
          continue;
        }
        return false;
      }
      var found = LogFiles.key(path);
      var first = files.after(finished);
      if (found.isEmpty()
          || first.isPresent() && !LogFiles.key(files.numbered(first.get())).equals(found)) {
        channel.close();
        continue;
      }
      open =
          Optional.of(
              new Open(
                  channel,
                  new BufferedInputStream(Channels.newInputStream(channel), BUFFER),
                  found.get(),
                  first.orElse(0)));
      return true;
    }
  }

  /** Whether nothing is written to the file that is read any more. */
  private boolean isFull() throws IOException {
    var current = open.orElseThrow();
    if (current.number() > 0) {
      return true;
    }
    var written = LogFiles.key(files.written());
    return written.isPresent()
        && (!written.get().equals(current.key())
            || current.channel().size() < current.channel().position());
  }

  /** The number of the file that was read to its end; that of the last one when it has none. */
  private int numberOfOpen() throws IOException {
    var current = open.orElseThrow();
    if (current.number() > 0) {
      return current.number();
    }
    for (int number : files.numbers()) {
      if (LogFiles.key(files.numbered(number)).equals(Optional.of(current.key()))) {
        return number;
      }
    }
    return finished;
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

  /**
   * The entry in {@link #line}; empty for a line that is damaged, which must not hide those behind
   * it. After a power cut there may be zeros where something was to be written.
   */
  private Optional<Entry> parse(int length) {
    int from = 0;
    while (from < length && line[from] == 0) {
      from++;
    }
    if (length - from < TEXT_AT) {
      return Optional.empty();
    }
    try {
      var at = Instant.parse(new String(line, from, TIME_LENGTH, StandardCharsets.US_ASCII));
      boolean whole = line[from + TAG_AT] == 'F';
      var bytes = Arrays.copyOfRange(line, from + TEXT_AT, length + (whole ? 1 : 0));
      if (whole) {
        bytes[bytes.length - 1] = '\n';
      }
      return Optional.of(new Entry(at, line[from + TIME_LENGTH + 4] == 'e', bytes));
    } catch (DateTimeException e) {
      return Optional.empty();
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
    watch.ifPresent(Inotify::close);
    closeOpen();
  }
}
