package dev.caisson.cli;

import dev.caisson.library.CaissonException;
import java.util.List;

/** One work done on each of several containers; a failure does not keep the others waiting. */
final class EachContainer {
  private EachContainer() {}

  /** What is done. */
  interface Work {
    void on(String container);
  }

  /** Does the work on each and prints the name of each it was done on. */
  static int run(Session session, List<String> containers, Work work) {
    int code = Command.OK;
    for (var container : containers) {
      try {
        work.on(container);
        session.out().line(SafeText.of(container)).flush();
      } catch (CaissonException e) {
        Program.report(session, e);
        code = Command.FAILED;
      }
    }
    return code;
  }
}
