package dev.caisson.cli;

import dev.caisson.library.Limits;
import java.util.List;

/** {@code caisson update}. */
final class UpdateCommand extends Command {
  private final LimitOptions limits = new LimitOptions(options);

  UpdateCommand() {
    super("update", "[OPTIONS] CONTAINER...", "Change what containers may use");
  }

  @Override
  Arity arity() {
    return Arity.SOME;
  }

  @Override
  int run(Session session, List<String> arguments) {
    var wanted = limits.limits();
    if (wanted.equals(Limits.NONE)) {
      throw new UsageException("'update' needs a limit to change");
    }
    return EachContainer.run(
        session,
        arguments,
        id -> {
          for (var warning : session.node().containers().update(id, wanted)) {
            session.warn(warning);
          }
        });
  }
}
