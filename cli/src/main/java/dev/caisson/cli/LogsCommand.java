package dev.caisson.cli;

import dev.caisson.library.LogSettings;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** {@code caisson logs}. */
final class LogsCommand extends Command {
  private final Option.Flag follow = options.flag('f', "follow", "Go on until the container ends");
  private final Option.Text tail = options.text('n', "tail", "NUMBER", "Only the last lines");
  private final Option.Flag timestamps = options.flag('t', "timestamps", "Put the time in front");
  private final Option.Text since = options.text("since", "TIME", "Only from then on");
  private final Option.Text until = options.text("until", "TIME", "Only before then");

  LogsCommand() {
    super("logs", "[OPTIONS] CONTAINER", "Print what a container has written");
  }

  @Override
  Arity arity() {
    return Arity.ONE;
  }

  @Override
  int run(Session session, List<String> arguments) {
    var settings = new LogSettings(follow.on(), lines(), moment(since), moment(until));
    var atLineStart = new boolean[] {true, true};
    try (var log = session.node().containers().logs(arguments.getFirst(), settings)) {
      for (; ; ) {
        var next = log.next();
        if (next.isEmpty()) {
          return OK;
        }
        var entry = next.get();
        var to = entry.error() ? session.err() : session.out();
        int stream = entry.error() ? 1 : 0;
        if (timestamps.on() && atLineStart[stream]) {
          to.write((entry.at() + " ").getBytes(StandardCharsets.US_ASCII));
        }
        var bytes = entry.bytes();
        atLineStart[stream] = bytes.length > 0 && bytes[bytes.length - 1] == '\n';
        to.write(bytes);
        if (follow.on() || entry.error()) {
          to.flush();
        }
      }
    }
  }

  private Optional<Integer> lines() {
    return tail.value().isPresent() && tail.value().get().equals("all")
        ? Optional.empty()
        : LimitOptions.whole(tail);
  }

  /** The moment an option names. */
  static Optional<Instant> moment(Option.Text option) {
    if (option.value().isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(Times.moment(option.value().get()));
    } catch (IllegalArgumentException e) {
      throw option.invalid(option.value().get(), String.valueOf(e.getMessage()));
    }
  }
}
