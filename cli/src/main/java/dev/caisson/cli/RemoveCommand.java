package dev.caisson.cli;

import java.util.List;

/** {@code caisson rm}. */
final class RemoveCommand extends Command {
  private final Option.Flag force = options.flag('f', "force", "Kill it first when it runs");

  RemoveCommand() {
    super("rm", "[OPTIONS] CONTAINER...", "Remove containers");
  }

  @Override
  Arity arity() {
    return Arity.SOME;
  }

  @Override
  int run(Session session, List<String> arguments) {
    return EachContainer.run(
        session, arguments, id -> session.node().containers().remove(id, force.on()));
  }
}
