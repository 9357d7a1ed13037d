package dev.caisson.cli;

import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerState;
import dev.caisson.library.ContainerSummary;
import dev.caisson.library.Reason;
import dev.caisson.library.Stats;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code caisson stats}. */
final class StatsCommand extends Command {
  private static final long PERIOD_MILLIS = 1000;
  private static final String CLEAR = "\u001b[H\u001b[J";

  private final Option.Flag once = options.flag("no-stream", "Print once instead of going on");
  private final Option.Flag full = options.flag("no-trunc", "Do not shorten ids");
  private final Option.Text format =
      options.text("format", "FORMAT", "table, json, or fields: '{{.Name}}\\t{{.CPUPerc}}'");

  StatsCommand() {
    super("stats", "[OPTIONS] [CONTAINER...]", "Show what containers use");
  }

  @Override
  Arity arity() {
    return Arity.ANY;
  }

  @Override
  int run(Session session, List<String> arguments) {
    boolean redraw = !once.on() && session.machine().isTerminal(1);
    var before = read(session, arguments);
    do {
      pause();
      var now = read(session, arguments);
      var rows = rows(before, now);
      if (redraw) {
        session.out().print(CLEAR);
      }
      new Listing(StatsRow.COLUMNS, format.value()).print(session.out(), rows);
      session.out().flush();
      before = now;
    } while (!once.on() && !Thread.currentThread().isInterrupted());
    return OK;
  }

  private List<StatsRow> rows(Map<String, Reading> before, Map<String, Reading> now) {
    var rows = new ArrayList<StatsRow>();
    for (var entry : now.entrySet()) {
      var first = before.getOrDefault(entry.getKey(), entry.getValue());
      rows.add(
          new StatsRow(
              entry.getValue().container(), first.stats(), entry.getValue().stats(), full.on()));
    }
    return rows;
  }

  private record Reading(ContainerSummary container, Stats stats) {}

  private static Map<String, Reading> read(Session session, List<String> names) {
    var containers = session.node().containers();
    var readings = new LinkedHashMap<String, Reading>();
    for (var container : wanted(session, names)) {
      try {
        readings.put(container.id(), new Reading(container, containers.stats(container.id())));
      } catch (CaissonException e) {
        boolean endedMeanwhile = e.reason() == Reason.WRONG_STATE || e.reason() == Reason.NOT_FOUND;
        if (!endedMeanwhile || !names.isEmpty()) {
          throw e;
        }
      }
    }
    return readings;
  }

  private static List<ContainerSummary> wanted(Session session, List<String> names) {
    var wanted = new ArrayList<ContainerSummary>();
    for (var name : names) {
      wanted.add(session.node().containers().inspect(name).summary());
    }
    if (names.isEmpty()) {
      for (var container : session.node().containers().list()) {
        if (container.state() == ContainerState.RUNNING
            || container.state() == ContainerState.PAUSED) {
          wanted.add(container);
        }
      }
    }
    return wanted;
  }

  private static void pause() {
    try {
      Thread.sleep(PERIOD_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
