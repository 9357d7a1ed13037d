package dev.caisson.cli;

import java.util.List;

/** {@code caisson pause}. */
final class PauseCommand extends Command {

  PauseCommand() {
    super("pause", "CONTAINER...", "Freeze all processes of containers");
  }

  @Override
  Arity arity() {
    return Arity.SOME;
  }

  @Override
  int run(Session session, List<String> arguments) {
    return EachContainer.run(session, arguments, session.node().containers()::pause);
  }
}
