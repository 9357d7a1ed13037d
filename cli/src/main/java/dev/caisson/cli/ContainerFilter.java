package dev.caisson.cli;

import dev.caisson.library.ContainerState;
import dev.caisson.library.ContainerSummary;
import java.util.List;

/** The conditions of {@code ps --filter}: of one kind any must hold, of different kinds all. */
final class ContainerFilter {
  private final Option.Texts conditions;

  ContainerFilter(Option.Texts conditions) {
    this.conditions = conditions;
    for (var condition : conditions.values()) {
      check(condition);
    }
  }

  /** Whether it asks for states, so that ended containers are not left out. */
  boolean namesStates() {
    for (var condition : conditions.values()) {
      if (condition.startsWith("status=") || condition.startsWith("exited=")) {
        return true;
      }
    }
    return false;
  }

  boolean accepts(ContainerSummary container) {
    return holds(container, "id")
        && holds(container, "name")
        && holds(container, "status")
        && holds(container, "ancestor")
        && holds(container, "exited")
        && holdsAll(container, "label");
  }

  private boolean holds(ContainerSummary container, String kind) {
    boolean asked = false;
    for (var condition : conditions.values()) {
      if (condition.startsWith(kind + "=")) {
        asked = true;
        if (matches(container, kind, condition.substring(kind.length() + 1))) {
          return true;
        }
      }
    }
    return !asked;
  }

  private boolean holdsAll(ContainerSummary container, String kind) {
    for (var condition : conditions.values()) {
      if (condition.startsWith(kind + "=")
          && !matches(container, kind, condition.substring(kind.length() + 1))) {
        return false;
      }
    }
    return true;
  }

  private static boolean matches(ContainerSummary container, String kind, String value) {
    return switch (kind) {
      case "id" -> container.id().startsWith(value);
      case "name" -> container.name().contains(value);
      case "status" -> ContainerRow.word(container.state()).equals(value);
      case "ancestor" -> container.image().equals(value);
      case "exited" ->
          container.state() == ContainerState.EXITED
              && container.exit().isPresent()
              && Integer.toString(container.exit().get().code()).equals(value);
      case "label" -> hasLabel(container, value);
      default -> false;
    };
  }

  private static boolean hasLabel(ContainerSummary container, String label) {
    int equals = label.indexOf('=');
    return equals < 0
        ? container.labels().containsKey(label)
        : label.substring(equals + 1).equals(container.labels().get(label.substring(0, equals)));
  }

  private void check(String condition) {
    int equals = condition.indexOf('=');
    var kind = equals < 0 ? condition : condition.substring(0, equals);
    if (equals < 1
        || !List.of("id", "name", "status", "ancestor", "exited", "label").contains(kind)) {
      throw conditions.invalid(
          condition, "say id=, name=, status=, label=, ancestor= or exited= with a value");
    }
    var value = condition.substring(equals + 1);
    if (kind.equals("status")
        && !List.of("created", "running", "paused", "exited").contains(value)) {
      throw conditions.invalid(condition, "there are created, running, paused and exited");
    }
  }
}
