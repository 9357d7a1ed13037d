package dev.caisson.engine.streams;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A process's log and journal, shared by its flows. A log that cannot be written (disk full) costs
 * its lines and nothing else: the failure is counted and the output flows on.
 */
final class KeptLog implements AutoCloseable {
  private final LogWriter writer;
  private final Journal journal;
  private final Clock clock;
  private final AtomicLong failures = new AtomicLong();

  private KeptLog(LogWriter writer, Journal journal, Clock clock) {
    this.writer = writer;
    this.journal = journal;
    this.clock = clock;
  }

  static KeptLog open(StreamPlan.LogPlan plan, Path journal, LogPage page) throws IOException {
    var writer = LogWriter.open(plan, page);
    try {
      return new KeptLog(writer, Journal.open(journal), Clock.systemUTC());
    } catch (IOException e) {
      writer.close();
      throw e;
    }
  }

  /** Logs a batch that is in the spool; see the package's primer. */
  void add(boolean error, MemorySegment bytes) {
    int length = (int) bytes.byteSize();
    try {
      writer.rotateIfFull();
      long before = writer.size();
      journal.note(error, before, length);
      try {
        writer.append(bytes, error, clock.instant());
      } catch (IOException e) {
        failures.incrementAndGet();
        // Half a line would spoil the next one too.
        writer.cutBackTo(before);
      }
      journal.noteLogged(error, length);
    } catch (IOException e) {
      failures.incrementAndGet();
    }
  }

  /** The spool is empty. */
  void done(boolean error) {
    try {
      journal.note(error, 0, 0);
    } catch (IOException e) {
      failures.incrementAndGet();
    }
  }

  /**
   * After a crash: whether a batch of which {@code left} bytes are in the spool still has to be
   * logged.
   */
  boolean stillToAdd(boolean error, int left) throws IOException {
    var batch = journal.read(error);
    if (batch.length() == 0) {
      return true;
    }
    if (batch.logged() || batch.length() != left) {
      return false;
    }
    writer.cutBackTo(batch.logSize());
    return true;
  }

  long failures() {
    return failures.get();
  }

  @Override
  public void close() {
    try (writer;
        journal) {
      // Closed by leaving.
      return;
    } catch (IOException e) {
      failures.incrementAndGet();
    }
  }
}
