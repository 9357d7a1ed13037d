package dev.caisson.cli;

import java.util.List;

/** {@code caisson completion}. */
final class CompletionCommand extends Command {

  CompletionCommand() {
    super("completion", "[bash|zsh|fish]", "Print completion for a shell");
  }

  @Override
  Arity arity() {
    return new Arity(0, 1);
  }

  @Override
  int run(Session session, List<String> arguments) {
    var shell = arguments.isEmpty() ? "bash" : arguments.getFirst();
    session
        .out()
        .print(
            switch (shell) {
              // The script notices which of the two reads it.
              case "bash", "zsh" -> PicocliModel.completion();
              case "fish" -> FishCompletion.script();
              default ->
                  throw new UsageException(
                      "'completion' knows bash, zsh and fish, not '" + shell + "'");
            });
    return OK;
  }
}
