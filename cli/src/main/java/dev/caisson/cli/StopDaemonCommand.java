package dev.caisson.cli;

import java.util.List;

/** {@code caisson system stop}. */
final class StopDaemonCommand extends Command {

  StopDaemonCommand() {
    super("system stop", "", "Stop the daemon; containers go on");
  }

  @Override
  Arity arity() {
    return Arity.NONE;
  }

  @Override
  int run(Session session, List<String> arguments) {
    var node = session.nodeIfRunning();
    if (node.isPresent()) {
      node.get().shutdownDaemon();
    }
    return OK;
  }
}
