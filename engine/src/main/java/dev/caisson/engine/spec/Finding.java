package dev.caisson.engine.spec;

/**
 * Something wrong, or odd, in a specification.
 *
 * @param path the field, dotted: {@code linux.resources.memory.limit}; empty for the whole
 * @param problem what was found there and what is wanted
 */
public record Finding(String path, String problem) {

  /** Both, as a sentence. */
  public String text() {
    return path.isEmpty() ? problem : path + ": " + problem;
  }
}
