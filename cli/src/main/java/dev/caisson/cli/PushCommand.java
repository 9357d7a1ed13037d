package dev.caisson.cli;

import dev.caisson.library.Images;
import java.util.List;

/** {@code caisson push}. */
final class PushCommand extends Command {
  private final Option.Flag quiet = options.flag('q', "quiet", "Do not show the progress");
  private final Option.Flag insecure =
      options.flag("insecure-registry", "Allow plain http and unknown certificates");

  PushCommand() {
    super("push", "[OPTIONS] NAME", "Send an image to its registry");
  }

  @Override
  Arity arity() {
    return Arity.ONE;
  }

  @Override
  int run(Session session, List<String> arguments) {
    var wanted = new Images.PushSettings(arguments.getFirst(), insecure.on());
    String digest;
    try (var view = ProgressView.of(session, quiet.on())) {
      digest = session.node().images().push(wanted, view);
    }
    session.out().line(SafeText.of(digest));
    return OK;
  }
}
