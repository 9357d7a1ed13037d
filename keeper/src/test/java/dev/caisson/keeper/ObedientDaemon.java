package dev.caisson.keeper;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Pipe;
import dev.caisson.linux.Program;
import dev.caisson.linux.Spawn;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;

/** A daemon that does what the test at the other end of a socket says, one line at a time. */
final class ObedientDaemon {
  private final KeeperLink keeper;
  private final PrintWriter toTest;
  private final Map<String, List<Fd>> held = new HashMap<>();

  private ObedientDaemon(KeeperLink keeper, PrintWriter toTest) {
    this.keeper = keeper;
    this.toTest = toTest;
  }

  public static void main(String[] arguments) throws Exception {
    try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(Path.of(arguments[0])));
        var toTest =
            new PrintWriter(Channels.newOutputStream(channel), true, StandardCharsets.UTF_8);
        var lines = new Scanner(Channels.newInputStream(channel), StandardCharsets.UTF_8)) {
      var daemon = new ObedientDaemon(KeeperLink.inherited().orElseThrow(), toTest);
      daemon.start();
      while (lines.hasNextLine()) {
        daemon.obey(lines.nextLine().split(" ", 2));
      }
    }
  }

  private void start() throws IOException {
    keeper.listen(
        exit -> say("exit " + exit.process().pid() + " " + exit.waitStatus()),
        () -> say("keeper gone"));
    held.putAll(keeper.held());
    say("started " + ProcessHandle.current().pid() + " " + keeper.keeperPid() + " " + held.size());
  }

  private synchronized void say(String line) {
    toTest.println(line);
  }

  private void obey(String[] words) throws IOException {
    switch (words[0]) {
      case "hold" -> hold(words[1]);
      case "drop" -> {
        keeper.drop(words[1]);
        say("dropped");
      }
      case "read" -> say("content " + content(held.get(words[1]).getFirst()));
      case "orphan" -> say("orphan " + orphan(words[1]));
      case "stop" -> System.exit(KeeperLink.STOP);
      case "succeed" -> succeed();
      default -> throw new IllegalArgumentException(words[0]);
    }
  }

  /** A pipe with the name in it outlives this process. */
  private void hold(String name) throws KernelException, IOException {
    var pipe = Pipe.open();
    try (var arena = Arena.ofConfined()) {
      pipe.writeEnd().write(arena.allocateFrom(name));
    }
    held.put(name, List.of(pipe.readEnd(), pipe.writeEnd()));
    keeper.hold(name, held.get(name));
    say("held");
  }

  /** Its keeper is gone: another one gets what it holds. */
  private void succeed() throws IOException {
    var next = keeper.startSuccessor();
    next.listen(_ -> {}, () -> {});
    for (var entry : held.entrySet()) {
      next.hold(entry.getKey(), entry.getValue());
    }
    System.exit(0);
  }

  private static String content(Fd pipe) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      var buffer = arena.allocate(100);
      int length = (int) pipe.read(buffer);
      return new String(buffer.asSlice(0, length - 1L).toArray(JAVA_BYTE), StandardCharsets.UTF_8);
    }
  }

  /** Starts a shell that starts another and ends, so that the other falls to the keeper. */
  private static String orphan(String script) throws KernelException {
    var result =
        Program.run(
            Spawn.of(List.of("sh", "-c", "(" + script + ") >/dev/null 2>&1 & echo $!")),
            Duration.ofSeconds(30));
    return new String(result.output(), StandardCharsets.UTF_8).strip();
  }
}
