package dev.caisson.cli;

import java.util.List;

/** {@code caisson completion}. */
final class CompletionCommand extends Command {

  CompletionCommand() {
    super("completion", "[bash]", "Print completion for a shell");
  }

  @Override
  Arity arity() {
    return new Arity(0, 1);
  }

  @Override
  int run(Session session, List<String> arguments) {
    if (!arguments.isEmpty() && !arguments.getFirst().equals("bash")) {
      throw new UsageException("'completion' knows bash only, not '" + arguments.getFirst() + "'");
    }
    session.out().print(PicocliModel.completion());
    return OK;
  }
}
