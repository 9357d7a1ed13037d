package dev.caisson.cli;

import dev.caisson.library.TransferProgress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The progress of a pull or push: on a terminal a line for each blob with a bar, redrawn at most
 * ten times a second; elsewhere a line when a blob is done.
 */
final class ProgressView implements Consumer<TransferProgress>, AutoCloseable {
  private static final long PERIOD_NANOS = 100_000_000;
  private static final int BAR = 30;
  private static final int SHORT_ID = 12;

  private enum Style {
    NOTHING,
    LINES,
    BARS
  }

  private final Output output;
  private final Style style;
  private final int rows;
  private final int columns;
  private final Map<String, TransferProgress> blobs = new LinkedHashMap<>(); // guarded by this
  private int drawn; // guarded by this
  private long drawnAt = System.nanoTime() - PERIOD_NANOS; // guarded by this

  private ProgressView(Output output, Style style, int rows, int columns) {
    this.output = output;
    this.style = style;
    this.rows = rows;
    this.columns = columns;
  }

  /** The view that fits standard error. */
  static ProgressView of(Session session, boolean quiet) {
    if (quiet) {
      return new ProgressView(session.err(), Style.NOTHING, 0, 0);
    }
    if (!session.machine().isTerminal(2)) {
      return new ProgressView(session.err(), Style.LINES, 0, 0);
    }
    var size = session.machine().terminal().size();
    int rows = size.isPresent() && size.get().rows() > 2 ? size.get().rows() : 24;
    int columns = size.isPresent() && size.get().columns() > 0 ? size.get().columns() : 80;
    return new ProgressView(session.err(), Style.BARS, rows, columns);
  }

  @Override
  public synchronized void accept(TransferProgress progress) {
    if (progress.phase() == TransferProgress.Phase.NOTICE) {
      tell(progress.blob());
      return;
    }
    var before = blobs.put(progress.blob(), progress);
    boolean changed = before == null || before.phase() != progress.phase();
    switch (style) {
      case NOTHING -> {}
      case LINES -> {
        if (changed && isEnd(progress)) {
          output.line(line(progress)).flush();
        }
      }
      case BARS -> {
        if (System.nanoTime() - drawnAt >= PERIOD_NANOS) {
          draw();
        }
      }
    }
  }

  /** A line that stays, above the bars; told even when quiet, since it explains a wait. */
  private void tell(String notice) {
    if (drawn > 0) {
      output.print("\u001b[" + drawn + "A\r\u001b[J");
      drawn = 0;
    }
    output.line(SafeText.of(notice)).flush();
    if (style == Style.BARS) {
      draw();
    }
  }

  /** Draws the last state. */
  @Override
  public synchronized void close() {
    if (style == Style.BARS) {
      draw();
    }
  }

  private void draw() {
    var text = new StringBuilder();
    if (drawn > 0) {
      text.append("\u001b[").append(drawn).append('A');
    }
    // More lines than the screen has cannot be drawn over: the first ones are left out.
    int skipped = Math.max(0, blobs.size() - (rows - 1));
    int lines = 0;
    for (var blob : blobs.values()) {
      if (skipped > 0) {
        skipped--;
        continue;
      }
      text.append("\r\u001b[K").append(cut(line(blob))).append('\n');
      lines++;
    }
    drawn = lines;
    drawnAt = System.nanoTime();
    output.print(text.toString()).flush();
  }

  private String cut(String line) {
    return line.length() < columns ? line : line.substring(0, columns - 1);
  }

  private static boolean isEnd(TransferProgress progress) {
    return progress.phase() == TransferProgress.Phase.DONE
        || progress.phase() == TransferProgress.Phase.EXISTS;
  }

  private static String line(TransferProgress progress) {
    var start = shortName(progress.blob()) + ": " + words(progress.phase());
    if (isEnd(progress) || progress.total() <= 0) {
      return start;
    }
    long done = Math.clamp(progress.done(), 0, progress.total());
    int filled = (int) (done * (double) BAR / progress.total());
    var bar = new StringBuilder(start);
    while (bar.length() < SHORT_ID + 14) {
      bar.append(' ');
    }
    bar.append('[').append("=".repeat(filled));
    bar.append(filled < BAR ? ">" : "").append(" ".repeat(Math.max(0, BAR - filled - 1)));
    return bar.append("] ")
        .append(Sizes.decimal(done))
        .append('/')
        .append(Sizes.decimal(progress.total()))
        .toString();
  }

  private static String words(TransferProgress.Phase phase) {
    return switch (phase) {
      case RESOLVING -> "resolving";
      case WAITING -> "waiting";
      case DOWNLOADING -> "downloading";
      case VERIFYING -> "verifying";
      case UNPACKING -> "unpacking";
      case UPLOADING -> "uploading";
      case EXISTS -> "exists";
      case DONE -> "done";
      case NOTICE -> "notice";
    };
  }

  private static String shortName(String blob) {
    int colon = blob.indexOf(':');
    boolean digest = colon > 0 && blob.length() - colon > SHORT_ID + 20;
    return SafeText.of(digest ? blob.substring(colon + 1, colon + 1 + SHORT_ID) : blob);
  }
}
