package dev.caisson.cli;

import java.util.List;

/** {@code caisson image prune}. */
final class PruneImagesCommand extends Command {
  private final Option.Flag all =
      options.flag('a', "all", "All images no container uses, not only nameless ones");
  private final Option.Flag force = options.flag('f', "force", "Do not ask");

  PruneImagesCommand() {
    super("image prune", "[OPTIONS]", "Remove images that are not used");
  }

  @Override
  Arity arity() {
    return Arity.NONE;
  }

  @Override
  int run(Session session, List<String> arguments) {
    if (Prune.agreed(session, force.on(), "images no container uses")) {
      Prune.images(session, all.on());
    }
    return OK;
  }
}
