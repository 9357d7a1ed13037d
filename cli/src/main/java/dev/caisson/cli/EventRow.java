package dev.caisson.cli;

import dev.caisson.library.NodeEvent;
import java.util.List;

/** A line of {@code caisson events}. */
record EventRow(NodeEvent event) implements Row {
  @Override
  public List<String> names() {
    return List.of("Time", "Topic", "Subject", "Details");
  }

  @Override
  public Object field(String name) {
    return switch (name) {
      case "Time" -> event.at().toString();
      case "Topic", "Status" -> event.topic();
      case "Subject", "ID" -> event.subject();
      case "Details" -> event.details();
      default -> throw unknown(name);
    };
  }

  /** The usual line. */
  String line() {
    var text = new StringBuilder();
    text.append(event.at()).append(' ').append(SafeText.of(event.topic()));
    text.append(' ').append(SafeText.of(event.subject()));
    for (var detail : event.details().entrySet()) {
      text.append(' ').append(SafeText.of(detail.getKey()));
      text.append('=').append(SafeText.of(detail.getValue()));
    }
    return text.toString();
  }
}
