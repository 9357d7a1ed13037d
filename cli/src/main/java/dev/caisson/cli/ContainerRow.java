package dev.caisson.cli;

import dev.caisson.library.ContainerState;
import dev.caisson.library.ContainerSummary;
import java.util.List;

/** A line of {@code caisson ps}. */
record ContainerRow(ContainerSummary container, boolean full) implements Row {
  static final List<String> COLUMNS =
      List.of("ID", "Image", "Command", "RunningFor", "Status", "Names");

  private static final int SHORT_ID = 12;
  private static final int SHORT_COMMAND = 20;

  @Override
  public List<String> names() {
    return List.of(
        "ID", "Image", "Command", "CreatedAt", "RunningFor", "Status", "State", "Names", "Labels");
  }

  @Override
  public Object field(String name) {
    return switch (name) {
      case "ID" -> full ? container.id() : shortId(container.id());
      case "Names", "Name" -> container.name();
      case "Image" -> container.image();
      case "Command" -> command();
      case "CreatedAt" -> container.created().toString();
      case "RunningFor" -> Times.ago(container.created());
      case "Status" -> status();
      case "State" -> word(container.state());
      case "Labels" -> labels();
      case "LabelMap" -> container.labels();
      default -> throw unknown(name);
    };
  }

  static String shortId(String id) {
    int start = id.indexOf(':') + 1;
    return id.length() <= start + SHORT_ID
        ? id.substring(start)
        : id.substring(start, start + SHORT_ID);
  }

  private String command() {
    // Escaped before it is cut, so that what is cut off cannot be half an escape.
    var text = SafeText.of(String.join(" ", container.command()));
    if (!full && text.codePointCount(0, text.length()) > SHORT_COMMAND) {
      text = text.substring(0, text.offsetByCodePoints(0, SHORT_COMMAND - 1)) + "…";
    }
    return "\"" + text + "\"";
  }

  private String status() {
    return switch (container.state()) {
      case CREATED -> "Created";
      case RUNNING -> "Up " + since();
      case PAUSED -> "Up " + since() + " (Paused)";
      case EXITED -> {
        if (container.exit().isEmpty()) {
          yield "Exited";
        }
        var exit = container.exit().get();
        yield "Exited (" + exit.code() + ") " + Times.ago(exit.at());
      }
    };
  }

  private String since() {
    return Times.about(Times.secondsSince(container.started().orElse(container.created())));
  }

  private String labels() {
    var text = new StringBuilder();
    for (var label : container.labels().entrySet()) {
      text.append(text.isEmpty() ? "" : ",")
          .append(label.getKey())
          .append('=')
          .append(label.getValue());
    }
    return text.toString();
  }

  static String word(ContainerState state) {
    return switch (state) {
      case CREATED -> "created";
      case RUNNING -> "running";
      case PAUSED -> "paused";
      case EXITED -> "exited";
    };
  }
}
