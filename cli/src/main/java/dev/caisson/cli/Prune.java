package dev.caisson.cli;

import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerState;
import java.io.IOException;

/** Removing what is not used. */
final class Prune {
  private Prune() {}

  /** Asks before something is lost; true when the answer begins with y. */
  static boolean agreed(Session session, boolean force, String what) {
    if (force) {
      return true;
    }
    session.err().print("This removes " + what + ". Go on? [y/N] ").flush();
    try {
      int answer = session.in().read();
      return answer == 'y' || answer == 'Y';
    } catch (IOException e) {
      return false;
    }
  }

  /** Removes containers that have ended or were never started, and prints their ids. */
  static int containers(Session session) {
    int code = Command.OK;
    var containers = session.node().containers();
    for (var container : containers.list()) {
      boolean unused =
          container.state() == ContainerState.EXITED || container.state() == ContainerState.CREATED;
      if (unused) {
        try {
          containers.remove(container.id(), false);
          session.out().line("Deleted: " + container.id());
        } catch (CaissonException e) {
          Program.report(session, e);
          code = Command.FAILED;
        }
      }
    }
    return code;
  }

  /** Removes unused images, and prints what went. */
  static void images(Session session, boolean all) {
    var pruned = session.node().images().prune(all);
    for (var removed : pruned.removed()) {
      session.out().line("Deleted: " + SafeText.of(removed));
    }
    session.out().line("Space given back: " + Sizes.decimal(pruned.bytes()));
  }
}
