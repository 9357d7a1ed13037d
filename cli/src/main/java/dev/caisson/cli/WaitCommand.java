package dev.caisson.cli;

import dev.caisson.library.CaissonException;
import java.util.List;

/** {@code caisson wait}. */
final class WaitCommand extends Command {

  WaitCommand() {
    super("wait", "CONTAINER...", "Wait for the end of containers, print exit codes");
  }

  @Override
  Arity arity() {
    return Arity.SOME;
  }

  @Override
  int run(Session session, List<String> arguments) {
    int code = OK;
    for (var container : arguments) {
      try {
        session.out().line(Integer.toString(session.node().containers().await(container).code()));
        session.out().flush();
      } catch (CaissonException e) {
        Program.report(session, e);
        code = FAILED;
      }
    }
    return code;
  }
}
