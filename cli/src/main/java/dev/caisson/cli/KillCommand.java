package dev.caisson.cli;

import java.util.List;

/** {@code caisson kill}. */
final class KillCommand extends Command {
  private final Option.Text signal =
      options.text('s', "signal", "SIGNAL", "Signal, by name or number (KILL)");
  private final Option.Flag all = options.flag("all", "To all processes, not only the first one");

  KillCommand() {
    super("kill", "[OPTIONS] CONTAINER...", "Send a signal to containers");
  }

  @Override
  Arity arity() {
    return Arity.SOME;
  }

  @Override
  int run(Session session, List<String> arguments) {
    var name = signal.value().orElse("KILL");
    return EachContainer.run(
        session, arguments, id -> session.node().containers().kill(id, name, all.on()));
  }
}
