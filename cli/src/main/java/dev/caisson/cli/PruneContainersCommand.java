package dev.caisson.cli;

import java.util.List;

/** {@code caisson container prune}. */
final class PruneContainersCommand extends Command {
  private final Option.Flag force = options.flag('f', "force", "Do not ask");

  PruneContainersCommand() {
    super("container prune", "[OPTIONS]", "Remove containers that do not run");
  }

  @Override
  Arity arity() {
    return Arity.NONE;
  }

  @Override
  int run(Session session, List<String> arguments) {
    return Prune.agreed(session, force.on(), "all containers that do not run")
        ? Prune.containers(session)
        : OK;
  }
}
