package dev.caisson.cli;

import java.util.List;

/** {@code caisson restart}. */
final class RestartCommand extends Command {
  private final Option.Text time =
      options.text('t', "time", "SECONDS", "Time until SIGKILL; -1: any time");

  { // Docker's newer name of it
    options.alias("timeout", "time");
  }

  RestartCommand() {
    super("restart", "[OPTIONS] CONTAINER...", "End containers and run them again");
  }

  @Override
  Arity arity() {
    return Arity.SOME;
  }

  @Override
  int run(Session session, List<String> arguments) {
    var grace = Grace.of(time);
    var containers = session.node().containers();
    return EachContainer.run(
        session,
        arguments,
        name -> {
          containers.stop(name, grace);
          containers.start(name);
        });
  }
}
