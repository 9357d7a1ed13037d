package dev.caisson.engine.spec;

import java.util.List;
import java.util.stream.Collectors;

/** A specification that is not JSON, has another form, or cannot work. */
public final class SpecException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final int MOST_TOLD = 8;

  private final transient List<Finding> findings;

  /**
   * Tells all that is wrong.
   *
   * @param findings at least one, their paths preceded by the document's name, line and column
   */
  SpecException(List<Finding> findings, List<String> sentences, Throwable cause) {
    this(findings, sentences);
    initCause(cause);
  }

  SpecException(List<Finding> findings, List<String> sentences) {
    super(
        sentences.stream().limit(MOST_TOLD).collect(Collectors.joining("; "))
            + (sentences.size() > MOST_TOLD
                ? "; and " + (sentences.size() - MOST_TOLD) + " more"
                : ""));
    this.findings = List.copyOf(findings);
  }

  /** All that is wrong, in the order of the specification's chapters. */
  public List<Finding> findings() {
    return findings;
  }

  /** The first field that is wrong, dotted; empty for the document itself. */
  public String path() {
    return findings.getFirst().path();
  }
}
