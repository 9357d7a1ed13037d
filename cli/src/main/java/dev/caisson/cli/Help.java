package dev.caisson.cli;

import java.util.ArrayList;
import java.util.List;

/** The help of the program, of its groups and of its commands. */
final class Help {
  private Help() {}

  static void printAll(Output out) {
    out.line("Usage: caisson [--root DIR] [--debug] COMMAND");
    out.line("");
    out.line("Runs containers on this machine.");
    out.line("");
    out.line("Commands:");
    var lines = new ArrayList<String[]>();
    for (var name : Commands.TOP) {
      lines.add(line(name, Commands.top(name).orElseThrow()));
    }
    Listing.align(out, lines);
    out.line("");
    out.line("Groups:");
    var groups = new ArrayList<String[]>();
    for (var group : Commands.GROUPS) {
      groups.add(new String[] {"  " + group, String.join(", ", Commands.names(group))});
    }
    Listing.align(out, groups);
    out.line("");
    out.line("'caisson COMMAND --help' tells more about a command.");
  }

  static void printGroup(Output out, String group) {
    out.line("Usage: caisson " + group + " COMMAND");
    out.line("");
    out.line("Commands:");
    List<String[]> lines = new ArrayList<>();
    for (var name : Commands.names(group)) {
      lines.add(line(name, Commands.in(group, name).orElseThrow()));
    }
    Listing.align(out, lines);
  }

  static void print(Output out, Command command) {
    out.print(PicocliModel.usage(command));
  }

  private static String[] line(String name, Command command) {
    return new String[] {"  " + name, command.summary()};
  }
}
