package dev.caisson.engine.streams;

import dev.caisson.linux.Terminal;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Which streams a process has.
 *
 * @param terminal one stream both ways through a terminal, instead of three pipes
 * @param stdin keep standard input open; otherwise it is /dev/null (not for terminals)
 * @param size of the terminal at the start
 * @param log where output is kept, if anywhere
 */
public record StreamPlan(
    boolean terminal, boolean stdin, Optional<Terminal.Size> size, Optional<LogPlan> log) {

  /**
   * How output is kept.
   *
   * @param file the file written; those filled before it are beside it as {@code file.1}, {@code
   *     file.2} and on, the highest number the newest
   * @param maxBytes size at which the next file is begun
   * @param maxFiles files kept, the one written included
   */
  public record LogPlan(Path file, long maxBytes, int maxFiles) {}

  /** No input, output to whoever is there. */
  public static StreamPlan discard() {
    return new StreamPlan(false, false, Optional.empty(), Optional.empty());
  }
}
