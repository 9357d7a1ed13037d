package dev.caisson.keeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.linux.Child;
import dev.caisson.linux.Kill;
import dev.caisson.linux.ProcessIdentity;
import dev.caisson.linux.ProcessStatus;
import dev.caisson.linux.Signal;
import dev.caisson.linux.Spawn;
import java.io.IOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Scanner;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class KeeperTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin/java").toString();
  private static final List<String> FLAGS =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-Xmx16m",
          "--enable-native-access=ALL-UNNAMED",
          "-cp",
          System.getProperty("java.class.path"));

  @TempDir Path dir;
  private final List<ProcessIdentity> left = new ArrayList<>();
  private ServerSocketChannel socket;

  @BeforeEach
  void listen() throws IOException {
    socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    socket.bind(UnixDomainSocketAddress.of(dir.resolve("test.sock")));
  }

  @AfterEach
  void endWhatIsLeft() throws IOException {
    socket.close();
    // The keeper comes first, else it would start its daemon again.
    for (var process : left) {
      if (process.isAlive()) {
        Kill.process(process.pid(), Signal.KILL);
      }
    }
  }

  /** The test's end of the talk with one daemon. */
  private record Talk(
      SocketChannel channel,
      Scanner lines,
      OutputStream out,
      Queue<String> exits,
      int pid,
      int held)
      implements AutoCloseable {

    /** Asks and hears the answer; exits told in between are kept for {@link #hear}. */
    String ask(String line) throws IOException {
      out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      var answer = lines.nextLine();
      while (answer.startsWith("exit ")) {
        exits.add(answer);
        answer = lines.nextLine();
      }
      return answer;
    }

    /** The next line that begins so; exits of other processes are told in between. */
    String hear(String begin) {
      var line = exits.isEmpty() ? lines.nextLine() : exits.remove();
      while (!line.startsWith(begin)) {
        line = exits.isEmpty() ? lines.nextLine() : exits.remove();
      }
      return line;
    }

    void kill() throws IOException {
      Kill.process(pid, Signal.KILL);
      close();
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  private Child keeper(List<String> daemon) throws IOException {
    var command =
        new ArrayList<>(List.of("sh", "-c", "exec \"$@\" 2>>'" + errors() + "'", "sh", JAVA));
    command.addAll(FLAGS);
    command.addAll(List.of(KeeperMain.class.getName(), "--run-dir", dir.toString(), "--"));
    command.addAll(daemon);
    var child = Spawn.of(command).start();
    left.add(ProcessIdentity.of(child.pid()).orElseThrow());
    return child;
  }

  private Path errors() {
    return dir.resolve("keeper.err");
  }

  private List<String> obedient() {
    var command = new ArrayList<>(List.of(JAVA));
    command.addAll(FLAGS);
    command.addAll(List.of(ObedientDaemon.class.getName(), dir.resolve("test.sock").toString()));
    return command;
  }

  private Talk talk() throws IOException {
    var channel = socket.accept();
    var lines = new Scanner(Channels.newInputStream(channel), StandardCharsets.UTF_8);
    var exits = new ArrayDeque<String>();
    var talk = new Talk(channel, lines, Channels.newOutputStream(channel), exits, 0, 0);
    var words = talk.hear("started").split(" ");
    int pid = Integer.parseInt(words[1]);
    ProcessIdentity.of(pid).ifPresent(left::add);
    return new Talk(channel, lines, talk.out(), exits, pid, Integer.parseInt(words[3]));
  }

  private static void until(Callable<Boolean> condition) throws Exception {
    while (!condition.call()) {
      Thread.sleep(
          5); // files have no event that is worth more here; the test's time limit bounds it
    }
  }

  private int orphan(Talk talk, String script) throws IOException {
    int pid = Integer.parseInt(talk.ask("orphan " + script).split(" ")[1]);
    ProcessIdentity.of(pid).ifPresent(left::add);
    return pid;
  }

  private boolean onDisk(int pid, int status) throws IOException {
    return KeeperLink.exitsOnDisk(dir).stream()
        .anyMatch(e -> e.process().pid() == pid && e.waitStatus() == status);
  }

  @Test
  void anOrphansExitIsToldAndOnDisk() throws Exception {
    keeper(obedient());
    try (var talk = talk()) {
      int pid = orphan(talk, "sleep 0.1; exit 7");

      assertThat(talk.hear("exit")).isEqualTo("exit " + pid + " " + (7 << 8));
      assertThat(onDisk(pid, 7 << 8)).isTrue();
    }
  }

  @Test
  void daemonsKilledAtAnyMomentLoseNoExitAndNoDescriptor() throws Exception {
    keeper(obedient());
    var pids = new ArrayList<Integer>();
    int rounds = 8;
    for (int round = 0; round < rounds; round++) {
      try (var talk = talk()) {
        assertThat(talk.held()).isEqualTo(round);
        assertThat(talk.ask("hold name-" + round)).isEqualTo("held");
        // Its end falls before, into and after the daemon's.
        pids.add(orphan(talk, "sleep 0." + round % 3 + "; exit 9"));
        talk.kill();
      }
    }

    try (var talk = talk()) {
      assertThat(talk.held()).isEqualTo(rounds);
      for (int round = 0; round < rounds; round++) {
        assertThat(talk.ask("read name-" + round)).isEqualTo("content name-" + round);
      }
    }
    for (int pid : pids) {
      until(() -> onDisk(pid, 9 << 8));
    }
  }

  @Test
  void whatWasDroppedDoesNotComeBack() throws Exception {
    keeper(obedient());
    try (var talk = talk()) {
      talk.ask("hold a");
      talk.ask("hold b");
      assertThat(talk.ask("drop a")).isEqualTo("dropped");
      assertThat(talk.ask("drop never")).isEqualTo("dropped");
      talk.kill();
    }

    try (var talk = talk()) {
      assertThat(talk.held()).isEqualTo(1);
      assertThat(talk.ask("read b")).isEqualTo("content b");
    }
  }

  @Test
  void aDaemonThatStopsEndsItsKeeper() throws Exception {
    var keeper = keeper(obedient());
    try (var talk = talk()) {
      talk.out().write("stop\n".getBytes(StandardCharsets.UTF_8));

      assertThat(keeper.await(LONG)).hasValue(0);
    }
  }

  @Test
  void aTerminatedKeeperEndsItsDaemonButNoOrphan() throws Exception {
    var keeper = keeper(obedient());
    try (var talk = talk()) {
      var daemon = ProcessIdentity.of(talk.pid()).orElseThrow();
      var orphan = ProcessIdentity.of(orphan(talk, "exec sleep 1000")).orElseThrow();

      keeper.kill(Signal.TERM);

      assertThat(keeper.await(LONG)).isPresent();
      assertThat(daemon.isAlive()).isFalse();
      assertThat(orphan.isAlive()).isTrue();
    }
  }

  @Test
  void aDaemonIsToldWhenItsKeeperIsGone() throws Exception {
    var keeper = keeper(obedient());
    try (var talk = talk()) {
      keeper.kill(Signal.KILL);

      assertThat(talk.hear("keeper")).isEqualTo("keeper gone");
      assertThat(talk.ask("drop anything")).isEqualTo("dropped");
      keeper.await();
    }
  }

  @Test
  void anotherKeeperTakesOverFromADaemonWhoseKeeperWasKilled() throws Exception {
    var first = keeper(obedient());
    for (int round = 0; round < 2; round++) {
      try (var talk = talk()) {
        assertThat(talk.held()).isEqualTo(round);
        talk.ask("hold name-" + round);

        Kill.process(round == 0 ? first.pid() : parent(talk.pid()), Signal.KILL);

        assertThat(talk.hear("keeper")).isEqualTo("keeper gone");
        talk.out().write("succeed\n".getBytes(StandardCharsets.UTF_8));
      }
    }
    first.await();

    try (var talk = talk()) {
      ProcessIdentity.of(parent(talk.pid())).ifPresent(left::addFirst);
      assertThat(talk.held()).isEqualTo(2);
      assertThat(talk.ask("read name-0")).isEqualTo("content name-0");
      assertThat(talk.ask("read name-1")).isEqualTo("content name-1");
      int pid = orphan(talk, "sleep 0.1; exit 7");
      assertThat(talk.hear("exit " + pid)).isEqualTo("exit " + pid + " " + (7 << 8));
      talk.kill();
    }
    try (var talk = talk()) {
      assertThat(talk.held()).isEqualTo(2);
    }
  }

  private static int parent(int pid) {
    return ProcessStatus.read(pid).orElseThrow().parent();
  }

  @Test
  void aSecondKeeperOfTheSameDirectoryLeavesAtOnce() throws Exception {
    keeper(obedient());
    try (var talk = talk()) {
      var second = keeper(List.of("touch", dir.resolve("started").toString()));

      assertThat(second.await(LONG)).hasValue(0);
      assertThat(dir.resolve("started")).doesNotExist();
      assertThat(talk.ask("drop nothing")).isEqualTo("dropped");
    }
  }

  @Test
  void aKeeperTerminatedBetweenTwoDaemonsStartsNoOther() throws Exception {
    var starts = dir.resolve("starts");
    var keeper = keeper(List.of("sh", "-c", "echo >>'" + starts + "'; exit 1"));
    until(() -> Files.exists(starts) && Files.size(starts) >= 7); // the pause is above a second now

    keeper.kill(Signal.TERM);

    assertThat(keeper.await(Duration.ofSeconds(15))).isPresent();
    assertThat(starts).hasSize(7);
  }

  @Test
  void aDaemonWhoseProgramIsMissingForAWhileIsStartedWhenItIsBack() throws Exception {
    var program = dir.resolve("daemon");
    var pids = dir.resolve("pids");
    var text = "#!/bin/sh\necho $$ >>'" + pids + "'\nexec sleep 1000\n";
    Files.writeString(program, text);
    program.toFile().setExecutable(true);
    keeper(List.of(program.toString()));
    until(() -> Files.exists(pids) && Files.readAllLines(pids).size() == 1);
    var away = Files.move(program, dir.resolve("away"));

    Kill.process(Integer.parseInt(Files.readAllLines(pids).getFirst()), Signal.KILL);
    until(() -> Files.readString(errors()).contains("cannot start the daemon"));
    Files.move(away, program);

    until(() -> Files.readAllLines(pids).size() == 2);
    int second = Integer.parseInt(Files.readAllLines(pids).getLast());
    ProcessIdentity.of(second).ifPresent(left::add);
    assertThat(ProcessIdentity.of(second)).isPresent();
  }
}
