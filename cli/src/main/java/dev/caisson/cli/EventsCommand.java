package dev.caisson.cli;

import dev.caisson.library.EventFilter;
import dev.caisson.library.NodeEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** {@code caisson events}. */
final class EventsCommand extends Command {
  private final Option.Text since = options.text("since", "TIME", "Also those kept since then");
  private final Option.Text until = options.text("until", "TIME", "End at this moment");
  private final Option.Texts filters =
      options.texts('f', "filter", "CONDITION", "Only those with container= or topic=");
  private final Option.Text format =
      options.text("format", "FORMAT", "json, or fields: '{{.Time}} {{.Topic}}'");

  EventsCommand() {
    super("events", "[OPTIONS]", "Print what happens, as it happens");
  }

  @Override
  Arity arity() {
    return Arity.NONE;
  }

  @Override
  int run(Session session, List<String> arguments) {
    Optional<String> container = Optional.empty();
    var topics = new ArrayList<String>();
    for (var filter : filters.values()) {
      int equals = filter.indexOf('=') + 1;
      switch (filter.substring(0, equals)) {
        case "container=" -> container = Optional.of(filter.substring(equals));
        case "topic=", "event=" -> topics.add(filter.substring(equals));
        default -> throw filters.invalid(filter, "say container= or topic= with a value");
      }
    }
    var wanted = new EventFilter(container, LogsCommand.moment(since), LogsCommand.moment(until));
    session.node().events(wanted, event -> print(session, event, topics));
    return OK;
  }

  private void print(Session session, NodeEvent event, List<String> topics) {
    boolean asked = topics.isEmpty();
    for (var topic : topics) {
      asked |= event.topic().contains(topic);
    }
    if (!asked) {
      return;
    }
    var row = new EventRow(event);
    if (format.value().isEmpty()) {
      session.out().line(row.line());
    } else {
      new Listing(row.names(), format.value()).print(session.out(), List.of(row));
    }
    session.out().flush();
  }
}
