package dev.caisson.library;

import java.util.List;

/** Result of the machine's check. */
public record NodeCheck(List<Item> items) {

  /** Copies what could change under it. */
  public NodeCheck {
    items = List.copyOf(items);
  }

  /**
   * One thing checked.
   *
   * @param name what
   * @param outcome how it stands
   * @param found what was seen
   * @param advice how to get it; empty when all is well
   */
  public record Item(String name, Outcome outcome, String found, String advice) {}

  /** How a checked thing stands. */
  public enum Outcome {
    OK,
    LIMITED,
    MISSING
  }
}
