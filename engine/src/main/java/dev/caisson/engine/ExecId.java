package dev.caisson.engine;

import dev.caisson.json.Inline;

/** Names a exec: 1 to 76 letters and digits, joined by single {@code .}, {@code _} or {@code -}. */
@Inline
public record ExecId(String value) {

  /** Checks the form; throws IllegalArgumentException naming the value and the rule. */
  public ExecId {
    Ids.check("exec", value);
  }

  @Override
  public String toString() {
    return value;
  }
}
