package dev.caisson.cli;

import java.util.List;

/** {@code caisson help}. */
final class HelpCommand extends Command {

  HelpCommand() {
    super("help", "[COMMAND]", "Show the commands, or one in detail");
  }

  @Override
  Arity arity() {
    return new Arity(0, 2);
  }

  @Override
  int run(Session session, List<String> arguments) {
    if (arguments.isEmpty()) {
      Help.printAll(session.out());
      return OK;
    }
    var found = Commands.find(arguments);
    if (found.isPresent()) {
      Help.print(session.out(), found.get().command());
    } else if (Commands.isGroup(arguments.getFirst())) {
      Help.printGroup(session.out(), arguments.getFirst());
    } else {
      throw new UsageException("unknown command '" + String.join(" ", arguments) + "'");
    }
    return OK;
  }
}
