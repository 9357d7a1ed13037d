package dev.caisson.cli;

import java.util.List;
import java.util.Optional;

/** {@code caisson create}. */
final class CreateCommand extends Command {
  private final ContainerOptions container = new ContainerOptions(options);

  CreateCommand() {
    super("create", "[OPTIONS] IMAGE [COMMAND [ARG...]]", "Make a container without running it");
  }

  @Override
  boolean optionsFirst() {
    return true;
  }

  @Override
  int failureCode() {
    return NOT_RUN;
  }

  @Override
  Arity arity() {
    return Arity.SOME;
  }

  @Override
  int run(Session session, List<String> arguments) {
    var settings = container.settings(arguments, session.machine(), Optional.empty());
    session.out().line(new NewContainer(session, container).create(settings));
    return OK;
  }
}
