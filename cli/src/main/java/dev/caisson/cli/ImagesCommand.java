package dev.caisson.cli;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/** {@code caisson images}. */
final class ImagesCommand extends Command {
  private final Option.Texts filters =
      options.texts('f', "filter", "CONDITION", "Only those with reference=PART");
  private final Option.Flag digests = options.flag("digests", "Show digests");
  private final Option.Flag quiet = options.flag('q', "quiet", "Only ids");
  private final Option.Flag full = options.flag("no-trunc", "Do not shorten ids");
  private final Option.Text format =
      options.text("format", "FORMAT", "table, json, or fields: '{{.ID}}\\t{{.Repository}}'");

  ImagesCommand() {
    super("images", "[OPTIONS] [NAME]", "List images");
    options.flag('a', "all", "All of them (as without)");
  }

  @Override
  Arity arity() {
    return new Arity(0, 1);
  }

  @Override
  int run(Session session, List<String> arguments) {
    var parts = new ArrayList<String>(arguments);
    for (var filter : filters.values()) {
      if (!filter.startsWith("reference=")) {
        throw filters.invalid(filter, "say reference= and a part of the name");
      }
      parts.add(filter.substring("reference=".length()));
    }
    var rows = new ArrayList<ImageRow>();
    for (var image : session.node().images().list()) {
      if (containsAll(image.name(), parts)) {
        rows.add(new ImageRow(image, full.on()));
      }
    }
    if (quiet.on()) {
      printIds(session, rows);
    } else {
      var columns = digests.on() ? ImageRow.COLUMNS_WITH_DIGEST : ImageRow.COLUMNS;
      new Listing(columns, format.value()).print(session.out(), rows);
    }
    return OK;
  }

  private static void printIds(Session session, List<ImageRow> rows) {
    var ids = new LinkedHashSet<String>();
    for (var row : rows) {
      ids.add(String.valueOf(row.field("ID")));
    }
    for (var id : ids) {
      session.out().line(id);
    }
  }

  private static boolean containsAll(String name, List<String> parts) {
    for (var part : parts) {
      if (!name.contains(part.replace("*", ""))) {
        return false;
      }
    }
    return true;
  }
}
