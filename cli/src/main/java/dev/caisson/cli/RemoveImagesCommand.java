package dev.caisson.cli;

import dev.caisson.library.CaissonException;
import java.util.List;

/** {@code caisson rmi}. */
final class RemoveImagesCommand extends Command {
  private final Option.Flag force =
      options.flag('f', "force", "Also when an ended container uses it; all names of an id");

  RemoveImagesCommand() {
    super("rmi", "[OPTIONS] IMAGE...", "Remove images");
  }

  @Override
  Arity arity() {
    return Arity.SOME;
  }

  @Override
  int run(Session session, List<String> arguments) {
    int code = OK;
    for (var image : arguments) {
      try {
        for (var removed : session.node().images().remove(image, force.on())) {
          boolean digest = removed.startsWith("sha256:");
          session.out().line((digest ? "Deleted: " : "Untagged: ") + SafeText.of(removed));
        }
      } catch (CaissonException e) {
        Program.report(session, e);
        code = FAILED;
      }
    }
    return code;
  }
}
