package dev.caisson.cli;

import dev.caisson.library.AttachSettings;
import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerState;
import dev.caisson.library.Containers;
import dev.caisson.library.Reason;
import java.util.List;

/** {@code caisson start}. */
final class StartCommand extends Command {
  private final Option.Flag attach = options.flag('a', "attach", "Connect to its output, wait");
  private final Option.Flag interactive =
      options.flag('i', "interactive", "Connect its standard input");
  private final Option.Flag proxy =
      options.flagOn("sig-proxy", "Pass signals on to it (=false: do not)");
  private final Option.Text detachKeys =
      options.text("detach-keys", "KEYS", "Keys that leave it (ctrl-p,ctrl-q)");

  StartCommand() {
    super("start", "[OPTIONS] CONTAINER...", "Run containers that were made before");
  }

  @Override
  int failureCode() {
    // Docker's: only an attached start stands in for the program.
    return attach.on() || interactive.on() ? NOT_RUN : FAILED;
  }

  @Override
  Arity arity() {
    return Arity.SOME;
  }

  /** One that runs is what was asked for, as with Docker. */
  private static void start(Containers containers, String id) {
    try {
      containers.start(id);
    } catch (CaissonException e) {
      if (e.reason() != Reason.WRONG_STATE
          || containers.inspect(id).summary().state() != ContainerState.RUNNING) {
        throw e;
      }
    }
  }

  @Override
  int run(Session session, List<String> arguments) {
    var containers = session.node().containers().withOwnOutput();
    if (!attach.on() && !interactive.on()) {
      return EachContainer.run(session, arguments, id -> start(containers, id));
    }
    if (arguments.size() > 1) {
      throw new UsageException("'start' attaches to one container, got " + arguments.size());
    }
    var info = containers.inspect(arguments.getFirst());
    var id = info.summary().id();
    var wanted = info.settings().process();
    boolean stdin = interactive.on() && wanted.stdin();
    Streams.checkTerminal(session, wanted.terminal(), stdin);
    var mode =
        new Foreground.Mode(
            stdin, wanted.terminal(), proxy.on(), detachKeys.value().orElse(DetachKeys.USUAL));
    try (var process = containers.attach(id, new AttachSettings(stdin, true, true))) {
      return new Foreground(session, process, mode).run(() -> containers.start(id));
    }
  }
}
