package dev.caisson.cli;

import java.util.List;

/** {@code caisson unpause}. */
final class UnpauseCommand extends Command {

  UnpauseCommand() {
    super("unpause", "CONTAINER...", "Let frozen containers go on");
  }

  @Override
  Arity arity() {
    return Arity.SOME;
  }

  @Override
  int run(Session session, List<String> arguments) {
    return EachContainer.run(session, arguments, session.node().containers()::unpause);
  }
}
