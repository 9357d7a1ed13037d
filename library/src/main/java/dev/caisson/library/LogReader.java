package dev.caisson.library;

import java.time.Instant;
import java.util.Optional;

/** Lines of a container's log, oldest first. */
public interface LogReader extends AutoCloseable {

  /** The next entry; blocks while following; empty at the end. */
  Optional<Entry> next();

  @Override
  void close();

  /**
   * A piece of output: a whole line with its newline, or a part of one.
   *
   * @param at when it was read from the container
   * @param error true for standard error
   * @param bytes what was written, unchanged
   */
  record Entry(Instant at, boolean error, byte[] bytes) {}
}
