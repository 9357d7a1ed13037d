package dev.caisson.json;

/** A document that is not JSON, or not of the form that was wanted. */
public final class JsonException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String origin;
  private final int line;
  private final int column;
  private final String path;
  private final String found;

  JsonException(String origin, int line, int column, String path, String found) {
    super(
        (origin.isEmpty() ? "line " : origin + ":")
            + line
            + ":"
            + column
            + (path.isEmpty() ? "" : ": " + path)
            + ": "
            + found);
    this.origin = origin;
    this.line = line;
    this.column = column;
    this.path = path;
    this.found = found;
  }

  JsonException(String origin, int line, int column, String path, String found, Throwable cause) {
    this(origin, line, column, path, found);
    initCause(cause);
  }

  /** Where the document came from, often a file; may be empty. */
  public String origin() {
    return origin;
  }

  /** Line of the offending value, from 1. */
  public int line() {
    return line;
  }

  /** Column of the offending value, from 1. */
  public int column() {
    return column;
  }

  /** The field, dotted: {@code linux.resources.memory.limit}; empty for the document itself. */
  public String path() {
    return path;
  }

  /** What was found there, and mostly what was wanted instead. */
  public String found() {
    return found;
  }
}
