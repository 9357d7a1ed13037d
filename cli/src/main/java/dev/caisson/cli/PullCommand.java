package dev.caisson.cli;

import dev.caisson.library.Images;
import java.util.List;

/** {@code caisson pull}. */
final class PullCommand extends Command {
  private final Option.Flag quiet = options.flag('q', "quiet", "Do not show the progress");
  private final Option.Text platform =
      options.text("platform", "OS/ARCH", "Platform wanted of the image");
  private final Option.Flag insecure =
      options.flag("insecure-registry", "Allow plain http and unknown certificates");

  PullCommand() {
    super("pull", "[OPTIONS] NAME", "Get an image from its registry");
  }

  @Override
  Arity arity() {
    return Arity.ONE;
  }

  @Override
  int run(Session session, List<String> arguments) {
    var wanted = new Images.PullSettings(arguments.getFirst(), platform.value(), insecure.on());
    Images.Pulled pulled;
    try (var view = ProgressView.of(session, quiet.on())) {
      pulled = session.node().images().pull(wanted, view);
    }
    pulled.warnings().forEach(session::warn);
    if (!quiet.on()) {
      session.out().line("Digest: " + SafeText.of(pulled.digest()));
      session
          .out()
          .line(
              (pulled.isNew()
                      ? "Status: Downloaded newer image for "
                      : "Status: Image is up to date for ")
                  + SafeText.of(pulled.name()));
    }
    session.out().line(SafeText.of(pulled.name()));
    return OK;
  }
}
