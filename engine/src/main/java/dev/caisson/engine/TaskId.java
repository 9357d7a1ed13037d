package dev.caisson.engine;

import dev.caisson.json.Inline;

/** Names a task: 1 to 76 letters and digits, joined by single {@code .}, {@code _} or {@code -}. */
@Inline
public record TaskId(String value) {

  /** Checks the form; throws IllegalArgumentException naming the value and the rule. */
  public TaskId {
    Ids.check("task", value);
  }

  @Override
  public String toString() {
    return value;
  }
}
