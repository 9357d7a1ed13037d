package dev.caisson.cli;

import dev.caisson.library.ExecSettings;
import java.util.List;
import java.util.Optional;

/** {@code caisson exec}. */
final class ExecCommand extends Command {
  private final Option.Flag detach =
      options.flag('d', "detach", "Do not wait for it; print its id");
  private final ProcessOptions process = new ProcessOptions(options);
  private final Option.Flag privileged = options.flag("privileged", "Give it all capabilities");
  private final Option.Text detachKeys =
      options.text("detach-keys", "KEYS", "Keys that leave it (ctrl-p,ctrl-q)");
  private final Option.Flag proxy =
      options.flagOn("sig-proxy", "Pass signals on to it (=false: do not)");

  ExecCommand() {
    super("exec", "[OPTIONS] CONTAINER COMMAND [ARG...]", "Run a program in a running container");
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
    return new Arity(2, Integer.MAX_VALUE);
  }

  @Override
  int run(Session session, List<String> arguments) {
    boolean terminal = process.terminal.on();
    boolean stdin = process.interactive.on() && !detach.on();
    if (!detach.on()) {
      Streams.checkTerminal(session, terminal, stdin);
    }
    var settings =
        new ExecSettings(
            arguments.subList(1, arguments.size()),
            process.environment(session.machine()),
            process.workingDirectory.value(),
            process.user.value(),
            terminal,
            stdin,
            terminal && session.machine().isTerminal(1)
                ? session.machine().terminal().size()
                : Optional.empty(),
            privileged.on());
    var containers = session.node().containers().withOwnOutput();
    if (detach.on()) {
      session.out().line(containers.execDetached(arguments.getFirst(), settings));
      return OK;
    }
    var mode =
        new Foreground.Mode(
            stdin, terminal, proxy.on(), detachKeys.value().orElse(DetachKeys.USUAL));
    try (var attached = containers.exec(arguments.getFirst(), settings)) {
      return new Foreground(session, attached, mode).run(() -> {});
    }
  }
}
