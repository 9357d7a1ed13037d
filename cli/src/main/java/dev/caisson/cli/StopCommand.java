package dev.caisson.cli;

import java.util.List;

/** {@code caisson stop}. */
final class StopCommand extends Command {
  private final Option.Text time =
      options.text('t', "time", "SECONDS", "Time until SIGKILL; -1: any time");

  { // Docker's newer name of it
    options.alias("timeout", "time");
  }

  StopCommand() {
    super("stop", "[OPTIONS] CONTAINER...", "Ask containers to end, then make them");
  }

  @Override
  Arity arity() {
    return Arity.SOME;
  }

  @Override
  int run(Session session, List<String> arguments) {
    var grace = Grace.of(time);
    return EachContainer.run(
        session, arguments, name -> session.node().containers().stop(name, grace));
  }
}
