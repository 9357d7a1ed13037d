package dev.caisson.cli;

import java.util.List;

/** {@code caisson system prune}. */
final class PruneSystemCommand extends Command {
  private final Option.Flag all =
      options.flag('a', "all", "All images no container uses, not only nameless ones");
  private final Option.Flag force = options.flag('f', "force", "Do not ask");

  PruneSystemCommand() {
    super("system prune", "[OPTIONS]", "Remove containers and images not used");
  }

  @Override
  Arity arity() {
    return Arity.NONE;
  }

  @Override
  int run(Session session, List<String> arguments) {
    if (!Prune.agreed(session, force.on(), "containers that do not run, and unused images")) {
      return OK;
    }
    int code = Prune.containers(session);
    Prune.images(session, all.on());
    return code;
  }
}
