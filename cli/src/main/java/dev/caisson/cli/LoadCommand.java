package dev.caisson.cli;

import dev.caisson.library.CaissonException;
import dev.caisson.library.Images;
import dev.caisson.library.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@code caisson load}. */
final class LoadCommand extends Command {
  private final Option.Text input =
      options.text('i', "input", "FILE", "The archive, or a directory with an OCI layout");

  LoadCommand() {
    super(
        "load",
        "[OPTIONS]",
        "Read images from an archive on standard input, a file or a directory");
    options.flag('q', "quiet", "As without it");
  }

  @Override
  Arity arity() {
    return Arity.NONE;
  }

  @Override
  int run(Session session, List<String> arguments) {
    Images.Loaded loaded;
    if (input.value().isEmpty()) {
      if (session.machine().isTerminal(0)) {
        throw new UsageException("'load' reads an archive: name it with -i, or redirect it");
      }
      loaded = session.node().images().load(session.in());
    } else if (Files.isDirectory(Path.of(input.value().get()))) {
      loaded = session.node().images().loadLayout(Path.of(input.value().get()));
    } else {
      var file = input.value().get();
      try (var archive = Files.newInputStream(Path.of(file))) {
        loaded = session.node().images().load(archive);
      } catch (IOException e) {
        throw new CaissonException(
            Reason.NOT_FOUND, "read the archive '" + file + "'", FileTrouble.words(e), "");
      }
    }
    loaded.warnings().forEach(session::warn);
    for (var name : loaded.names()) {
      session.out().line("Loaded image: " + SafeText.of(name));
    }
    return OK;
  }
}
