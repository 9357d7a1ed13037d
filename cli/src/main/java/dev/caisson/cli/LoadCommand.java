package dev.caisson.cli;

import dev.caisson.library.CaissonException;
import dev.caisson.library.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@code caisson load}. */
final class LoadCommand extends Command {
  private final Option.Text input =
      options.text('i', "input", "FILE", "The archive; standard input without it");

  LoadCommand() {
    super("load", "[OPTIONS]", "Read images from an archive");
    options.flag('q', "quiet", "As without it");
  }

  @Override
  Arity arity() {
    return Arity.NONE;
  }

  @Override
  int run(Session session, List<String> arguments) {
    List<String> names;
    if (input.value().isEmpty()) {
      if (session.machine().isTerminal(0)) {
        throw new UsageException("'load' reads an archive: name it with -i, or redirect it");
      }
      names = session.node().images().load(session.in());
    } else {
      var file = input.value().get();
      try (var archive = Files.newInputStream(Path.of(file))) {
        names = session.node().images().load(archive);
      } catch (IOException e) {
        throw new CaissonException(
            Reason.NOT_FOUND, "read the archive '" + file + "'", FileTrouble.words(e), "");
      }
    }
    for (var name : names) {
      session.out().line("Loaded image: " + SafeText.of(name));
    }
    return OK;
  }
}
