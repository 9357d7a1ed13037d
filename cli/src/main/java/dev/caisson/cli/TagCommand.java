package dev.caisson.cli;

import java.util.List;

/** {@code caisson tag}. */
final class TagCommand extends Command {

  TagCommand() {
    super("tag", "IMAGE NAME", "Give an image a further name");
  }

  @Override
  Arity arity() {
    return new Arity(2, 2);
  }

  @Override
  int run(Session session, List<String> arguments) {
    session.node().images().tag(arguments.getFirst(), arguments.getLast());
    return OK;
  }
}
