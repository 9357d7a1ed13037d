package dev.caisson.cli;

import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;

/** {@code caisson top}. */
final class TopCommand extends Command {
  private static final String[] HEAD = {"USER", "PID", "PPID", "STIME", "TTY", "TIME", "CMD"};

  TopCommand() {
    super("top", "CONTAINER", "List the processes of a container");
  }

  @Override
  Arity arity() {
    return Arity.ONE;
  }

  @Override
  int run(Session session, List<String> arguments) {
    var lines = new ArrayList<String[]>();
    lines.add(HEAD);
    for (var process : session.node().containers().top(arguments.getFirst())) {
      var started = process.started().atZone(ZoneId.systemDefault());
      lines.add(
          new String[] {
            SafeText.of(process.user()),
            Integer.toString(process.pid()),
            Integer.toString(process.parent()),
            two(started.getHour()) + ":" + two(started.getMinute()),
            SafeText.of(process.terminal()),
            clock(process.cpu()),
            SafeText.of(process.command())
          });
    }
    Listing.align(session.out(), lines);
    return OK;
  }

  private static String clock(Duration cpu) {
    return two(cpu.toHours()) + ":" + two(cpu.toMinutesPart()) + ":" + two(cpu.toSecondsPart());
  }

  private static String two(long number) {
    return number < 10 ? "0" + number : Long.toString(number);
  }
}
