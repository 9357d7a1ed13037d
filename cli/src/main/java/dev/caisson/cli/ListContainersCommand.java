package dev.caisson.cli;

import dev.caisson.library.ContainerState;
import dev.caisson.library.ContainerSummary;
import java.util.ArrayList;
import java.util.List;

/** {@code caisson ps}. */
final class ListContainersCommand extends Command {
  private final Option.Flag all = options.flag('a', "all", "Also those that do not run");
  private final Option.Texts filters =
      options.texts('f', "filter", "CONDITION", "Only those with status=, name=, label=, id= …");
  private final Option.Flag latest = options.flag('l', "latest", "Only the newest");
  private final Option.Text last = options.text('n', "last", "NUMBER", "Only so many newest");
  private final Option.Flag quiet = options.flag('q', "quiet", "Only ids");
  private final Option.Flag full = options.flag("no-trunc", "Do not shorten ids and commands");
  private final Option.Text format =
      options.text("format", "FORMAT", "table, json, or fields: '{{.ID}}\\t{{.Names}}'");

  ListContainersCommand() {
    super("ps", "[OPTIONS]", "List containers");
  }

  @Override
  Arity arity() {
    return Arity.NONE;
  }

  @Override
  int run(Session session, List<String> arguments) {
    var filter = new ContainerFilter(filters);
    int most = most();
    boolean ended = all.on() || most >= 0 || filter.namesStates();
    var rows = new ArrayList<ContainerRow>();
    var containers = session.node().containers().list();
    for (int i = containers.size() - 1; i >= 0 && (most < 0 || rows.size() < most); i--) {
      var container = containers.get(i);
      if ((ended || runs(container)) && filter.accepts(container)) {
        rows.add(new ContainerRow(container, full.on()));
      }
    }
    if (quiet.on()) {
      for (var row : rows) {
        session.out().line(String.valueOf(row.field("ID")));
      }
    } else {
      new Listing(ContainerRow.COLUMNS, format.value()).print(session.out(), rows);
    }
    return OK;
  }

  private int most() {
    if (latest.on()) {
      return 1;
    }
    return LimitOptions.whole(last).orElse(-1);
  }

  private static boolean runs(ContainerSummary container) {
    return container.state() == ContainerState.RUNNING
        || container.state() == ContainerState.PAUSED;
  }
}
