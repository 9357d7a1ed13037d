package dev.caisson.cli;

import dev.caisson.library.AttachSettings;
import dev.caisson.library.CaissonException;
import dev.caisson.library.TerminalSize;
import java.util.List;
import java.util.Optional;

/** {@code caisson run}. */
final class RunCommand extends Command {
  private final Option.Flag detach =
      options.flag('d', "detach", "Do not wait for it; print its id");
  private final Option.Flag proxy =
      options.flagOn("sig-proxy", "Pass signals on to it (=false: do not)");
  private final ContainerOptions container = new ContainerOptions(options);

  RunCommand() {
    super("run", "[OPTIONS] IMAGE [COMMAND [ARG...]]", "Make a container and run it");
  }

  @Override
  boolean optionsFirst() {
    return true;
  }

  @Override
  int failureCode() {
    return NOT_RUN;
  }

  @Override
  Arity arity() {
    return Arity.SOME;
  }

  @Override
  int run(Session session, List<String> arguments) {
    boolean terminal = container.process.terminal.on();
    if (!detach.on()) {
      Streams.checkTerminal(session, terminal, container.process.interactive.on());
    }
    var streams = Streams.of(container.attach, container.process.interactive.on());
    var size = terminal && !detach.on() ? terminalSize(session) : Optional.<TerminalSize>empty();
    var settings = container.settings(arguments, session.machine(), size);
    var id = new NewContainer(session, container).create(settings);
    try {
      return detach.on() ? startOnly(session, id) : startAttached(session, id, streams);
    } catch (CaissonException e) {
      removeUnstarted(session, id);
      throw e;
    }
  }

  private static Optional<TerminalSize> terminalSize(Session session) {
    return session.machine().isTerminal(1) ? session.machine().terminal().size() : Optional.empty();
  }

  private static int startOnly(Session session, String id) {
    session.node().containers().start(id);
    session.out().line(id);
    return OK;
  }

  private int startAttached(Session session, String id, AttachSettings streams) {
    var mode =
        new Foreground.Mode(
            streams.stdin(),
            container.process.terminal.on(),
            proxy.on(),
            container.detachKeys.value().orElse(DetachKeys.USUAL));
    var containers = session.node().containers().withOwnOutput();
    try (var process = containers.attach(id, streams)) {
      return new Foreground(session, process, mode).run(() -> containers.start(id));
    }
  }

  /** A container that is to go when it ends goes too when it cannot begin. */
  private void removeUnstarted(Session session, String id) {
    if (!container.removeAtEnd.on()) {
      return;
    }
    try {
      session.node().containers().remove(id, true);
    } catch (CaissonException gone) {
      // Removed by the daemon already, or told by the failure that led here.
    }
  }
}
