package dev.caisson.cli;

import dev.caisson.library.AttachSettings;
import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerState;
import dev.caisson.library.Containers;
import dev.caisson.library.Reason;
import java.util.List;
import java.util.Optional;

/** {@code caisson attach}. */
final class AttachCommand extends Command {
  private final Option.Flag noStdin = options.flag("no-stdin", "Do not pass the input on");
  private final Option.Flag proxy =
      options.flagOn("sig-proxy", "Pass signals on to it (=false: do not)");
  private final Option.Text detachKeys =
      options.text("detach-keys", "KEYS", "Keys that leave it (ctrl-p,ctrl-q)");

  AttachCommand() {
    super("attach", "[OPTIONS] CONTAINER", "Connect to the streams of a running container");
  }

  @Override
  Arity arity() {
    return Arity.ONE;
  }

  /** An ended container is not waited for: it may be started again much later. */
  private static Foreground.Again again(Containers containers, String id) {
    return stdout ->
        containers.inspect(id).summary().state() == ContainerState.RUNNING
            ? Optional.of(containers.attach(id, new AttachSettings(false, stdout, !stdout)))
            : Optional.empty();
  }

  @Override
  int run(Session session, List<String> arguments) {
    var containers = session.node().containers().withOwnOutput();
    var info = containers.inspect(arguments.getFirst());
    if (info.summary().state() != ContainerState.RUNNING) {
      throw new CaissonException(
          Reason.WRONG_STATE,
          "attach to container '" + arguments.getFirst() + "'",
          "it is " + ContainerRow.word(info.summary().state()),
          "start it with 'caisson start -a'");
    }
    var wanted = info.settings().process();
    boolean stdin = wanted.stdin() && !noStdin.on();
    var mode =
        new Foreground.Mode(
            stdin, wanted.terminal(), proxy.on(), detachKeys.value().orElse(DetachKeys.USUAL));
    var streams = new AttachSettings(stdin, true, true);
    try (var process = containers.attach(info.summary().id(), streams)) {
      return new Foreground(session, process, mode, again(containers, info.summary().id()))
          .run(() -> {});
    }
  }
}
