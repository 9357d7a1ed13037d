package dev.caisson.cli;

import dev.caisson.json.Json;
import dev.caisson.library.NodeCheck;
import java.util.List;

/** {@code caisson system check}. */
final class CheckCommand extends Command {
  private final Option.Text format = options.text('f', "format", "FORMAT", "json");

  CheckCommand() {
    super("system check", "[OPTIONS]", "Tell what this machine lacks and how to get it");
  }

  @Override
  Arity arity() {
    return Arity.NONE;
  }

  @Override
  int run(Session session, List<String> arguments) {
    var check = session.node().check();
    int code = OK;
    if (format.value().isPresent()) {
      if (!format.value().get().equals("json")) {
        throw format.invalid(format.value().get(), "there is json");
      }
      session.out().line(SafeText.json(Json.pretty(check)));
    }
    for (var item : check.items()) {
      if (item.outcome() == NodeCheck.Outcome.MISSING) {
        code = FAILED;
      }
      if (format.value().isEmpty()) {
        print(session.out(), item);
      }
    }
    return code;
  }

  private static void print(Output out, NodeCheck.Item item) {
    out.line(word(item.outcome()) + "  " + SafeText.of(item.name() + ": " + item.found()));
    if (!item.advice().isEmpty()) {
      out.line("         " + SafeText.of(item.advice()));
    }
  }

  private static String word(NodeCheck.Outcome outcome) {
    return switch (outcome) {
      case OK -> "ok     ";
      case LIMITED -> "limited";
      case MISSING -> "missing";
    };
  }
}
