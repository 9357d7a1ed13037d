package dev.caisson.cli;

import dev.caisson.library.CaissonException;
import dev.caisson.library.Reason;
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
    return EachContainer.run(session, arguments, id -> remove(session, id));
  }

  /** With --force one that is not there is what was asked for, and still told. */
  private void remove(Session session, String id) {
    try {
      session.node().containers().remove(id, force.on());
    } catch (CaissonException e) {
      if (!force.on() || e.reason() != Reason.NOT_FOUND) {
        throw e;
      }
      Program.report(session, e);
    }
  }
}
