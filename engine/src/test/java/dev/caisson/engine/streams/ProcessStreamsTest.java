package dev.caisson.engine.streams;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.linux.Child;
import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Kill;
import dev.caisson.linux.Pipe;
import dev.caisson.linux.Signal;
import dev.caisson.linux.Spawn;
import dev.caisson.linux.Splice;
import dev.caisson.linux.Syscall;
import dev.caisson.linux.Terminal;
import dev.caisson.linux.UnixSocket;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ProcessStreamsTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(100);

  @TempDir Path directory;
  private final SharedStore store = new SharedStore();
  private final List<AutoCloseable> open = new ArrayList<>();
  private Pump pump;

  @BeforeEach
  void startPump() throws Exception {
    pump = Pump.start();
  }

  @AfterEach
  void closeAll() throws Exception {
    for (var one : open.reversed()) {
      one.close();
    }
    pump.close();
  }

  private Path log() {
    return directory.resolve("log");
  }

  private StreamPlan plan(boolean stdin, boolean logged) {
    return new StreamPlan(
        false,
        stdin,
        Optional.empty(),
        logged ? Optional.of(new StreamPlan.LogPlan(log(), Long.MAX_VALUE, 2)) : Optional.empty());
  }

  private ProcessStreams create(StreamPlan plan) throws IOException {
    var streams = ProcessStreams.create(pump, plan, store, "io/web/init", directory);
    open.add(streams);
    return streams;
  }

  private Child start(ProcessStreams streams, String script) throws IOException {
    var child = Spawn.of(List.of("sh", "-c", script)).withFds(streams.childEnds()).start();
    streams.childStarted();
    return child;
  }

  private UnixSocket.Pair client() throws KernelException {
    var pair = UnixSocket.pair(UnixSocket.Kind.STREAM);
    open.add(pair.first());
    return pair;
  }

  private Fd attach(ProcessStreams streams, boolean error, boolean primary) throws IOException {
    var pair = client();
    streams.attachOutput(Receiver.of(pair.second()), error, primary);
    return pair.first();
  }

  private static void send(Fd to, byte[] bytes) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      to.write(arena.allocateFrom(JAVA_BYTE, bytes));
    }
  }

  private Path randomFile(String name, int size) throws IOException {
    var bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return Files.write(directory.resolve(name), bytes);
  }

  private byte[] logged(boolean error) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var reader = LogReader.open(log(), () -> false)) {
      for (Optional<LogReader.Entry> entry; (entry = reader.next()).isPresent(); ) {
        if (entry.get().error() == error) {
          bytes.writeBytes(entry.get().bytes());
        }
      }
    }
    return bytes.toByteArray();
  }

  @Tag("case-52")
  @Test
  void bothStreamsReachClientsAndLogByteForByte() throws Exception {
    var out = randomFile("out", 64 << 20);
    var err = randomFile("err", 8 << 20);
    var streams = create(plan(false, true));
    var toOut = Reading.of(attach(streams, false, true));
    var toError = Reading.of(attach(streams, true, true));

    var child = start(streams, "cat '" + err + "' >&2 & cat '" + out + "'; wait");

    assertThat(child.await()).isZero();
    assertThat(streams.drain(LONG)).isTrue();
    assertThat(toOut.bytes()).isEqualTo(Files.readAllBytes(out));
    assertThat(toError.bytes()).isEqualTo(Files.readAllBytes(err));
    assertThat(logged(false)).isEqualTo(Files.readAllBytes(out));
    assertThat(logged(true)).isEqualTo(Files.readAllBytes(err));
  }

  @Tag("case-52")
  @Test
  void aClientThatReadsLateGetsAllOfItAfterTheProcessEnded() throws Exception {
    var out = randomFile("out", 4 << 20);
    for (boolean logged : new boolean[] {true, false}) {
      var streams = create(plan(false, logged));
      var socket = attach(streams, false, true);
      var child = start(streams, "cat '" + out + "'");
      // Pipe, spool and socket do not hold it all: the process is held up.
      assertThat(child.await(SHORT)).isEmpty();

      var late = Reading.of(socket);

      assertThat(child.await()).isZero();
      streams.drain(LONG);
      streams.close();

      assertThat(late.bytes()).isEqualTo(Files.readAllBytes(out));
    }
  }

  @Tag("case-52")
  @Test
  void whatAWaitingClientHasNotTakenSurvivesTheProcess() throws Exception {
    var streams = create(plan(false, true));
    var socket = attach(streams, false, true);
    var out = randomFile("out", fillOfASocket());
    var child = start(streams, "cat '" + out + "'");
    child.await();

    assertThat(streams.drain(SHORT)).isFalse();
    streams.close();

    // It waits in the kernel, at its socket: nothing of it is left here.
    while (!store.held().isEmpty()) {
      Thread.onSpinWait();
    }
    assertThat(Reading.of(socket).bytes()).isEqualTo(Files.readAllBytes(out));
    assertThat(logged(false)).isEqualTo(Files.readAllBytes(out));
  }

  /** More than a socket takes, less than socket, spool and pipe together. */
  private static int fillOfASocket() throws KernelException {
    try (var pair = UnixSocket.pair(UnixSocket.Kind.STREAM);
        var pipe = Pipe.open()) {
      Pipe.nonBlocking(pair.first());
      int taken = 0;
      long moved;
      do {
        send(pipe.writeEnd(), new byte[Pump.BATCH]);
        moved = Splice.move(pipe.readEnd(), pair.first(), Pump.BATCH);
        taken += (int) Math.max(0, moved);
      } while (moved == Pump.BATCH);
      return taken + Pump.BATCH + Pump.BATCH / 2;
    }
  }

  @Tag("case-54")
  @Test
  void aClientThatGoesAwayNoLongerHoldsUpTheProcess() throws Exception {
    var out = randomFile("out", 4 << 20);
    var streams = create(plan(false, true));
    var socket = attach(streams, false, true);
    var child = start(streams, "cat '" + out + "'");

    assertThat(child.await(SHORT)).isEmpty();
    socket.close();

    assertThat(child.await()).isZero();
    assertThat(streams.drain(LONG)).isTrue();
    assertThat(logged(false)).isEqualTo(Files.readAllBytes(out));
  }

  @Tag("case-54")
  @Test
  void aProcessHeldUpByItsClientCanBeKilled() throws Exception {
    var streams = create(plan(false, true));
    attach(streams, false, true);
    var child = start(streams, "exec cat /dev/zero");

    assertThat(child.await(SHORT)).isEmpty();
    child.kill(Signal.KILL);

    assertThat(child.await()).isEqualTo(9);
  }

  @Tag("case-54")
  @Test
  void aClientThatAttachedLaterAndDoesNotReadIsCutOff() throws Exception {
    var out = randomFile("out", 16 << 20);
    var streams = create(plan(false, true));
    var pair = client();
    var parted = new CompletableFuture<Parting>();
    var socket = pair.first();
    streams.attachOutput(
        new Receiver(pair.second(), Optional.empty(), parted::complete), false, false);
    var child = start(streams, "cat '" + out + "'");

    assertThat(child.await()).isZero();
    assertThat(streams.drain(LONG)).isTrue();
    assertThat(Reading.of(socket).bytes()).hasSizeLessThan(16 << 20);
    assertThat(parted).isCompletedWithValue(Parting.TOO_SLOW);
    assertThat(logged(false)).isEqualTo(Files.readAllBytes(out));
  }

  @Tag("case-52")
  @Test
  void outputGoesStraightIntoThePipeOfAClient() throws Exception {
    var out = randomFile("out", 32 << 20);
    for (boolean logged : new boolean[] {true, false}) {
      var streams = create(plan(false, logged));
      var pair = client();
      var pipe = Pipe.open();
      open.add(pipe.readEnd());
      var receiver = new Receiver(pair.second(), Optional.of(pipe.writeEnd()), _ -> {});
      streams.attachOutput(receiver, false, true);
      var reading = Reading.of(pipe.readEnd());
      var rest = Reading.of(pair.first());

      var child = start(streams, "cat '" + out + "'");

      assertThat(child.await()).isZero();
      assertThat(streams.drain(LONG)).isTrue();
      // Its end comes with the end of the output, whoever else is told of the process's end later.
      assertThat(reading.bytes()).isEqualTo(Files.readAllBytes(out));
      assertThat(rest.bytes()).isEmpty();
      assertThat(store.held()).doesNotContainKey("io/web/init#out");
      streams.close();
    }
    assertThat(logged(false)).isEqualTo(Files.readAllBytes(out));
  }

  @Tag("case-54")
  @Test
  void aClientWhosePipeNobodyReadsAnyMoreIsTold() throws Exception {
    var streams = create(plan(false, true));
    var pair = client();
    var pipe = Pipe.open();
    var parted = new CompletableFuture<Parting>();
    streams.attachOutput(
        new Receiver(pair.second(), Optional.of(pipe.writeEnd()), parted::complete), false, true);
    var child = start(streams, "cat /dev/zero");

    pipe.readEnd().close();

    assertThat(parted.get(60, TimeUnit.SECONDS)).isEqualTo(Parting.READER_GONE);
    assertThat(Reading.of(pair.first()).bytes()).isEmpty();
    child.kill(Signal.KILL);
    child.await();
  }

  @Tag("case-52")
  @Test
  void whatAClientsPipeDoesNotTakeComesOverItsConnection() throws Exception {
    var streams = create(plan(false, true));
    var pair = client();
    var pipe = Pipe.open();
    open.add(pipe.readEnd());
    streams.attachOutput(
        new Receiver(pair.second(), Optional.of(pipe.writeEnd()), _ -> {}), false, true);
    var out = randomFile("out", 3 * Pump.BATCH - 10);
    var child = start(streams, "cat '" + out + "'");
    child.await();
    streams.drain(SHORT);

    streams.close();

    var all = new ByteArrayOutputStream();
    all.writeBytes(Reading.of(pipe.readEnd()).bytes());
    all.writeBytes(Reading.of(pair.first()).bytes());
    assertThat(all.toByteArray()).isEqualTo(Files.readAllBytes(out));
  }

  @Tag("case-54")
  @Test
  void aFullDiskCostsTheLogAndNothingElse() throws Exception {
    var out = randomFile("out", 1 << 20);
    var streams =
        create(
            new StreamPlan(
                false,
                false,
                Optional.empty(),
                Optional.of(new StreamPlan.LogPlan(Path.of("/dev/full"), Long.MAX_VALUE, 2))));
    var reading = Reading.of(attach(streams, false, true));
    var child = start(streams, "cat '" + out + "'");

    assertThat(child.await()).isZero();
    assertThat(streams.drain(LONG)).isTrue();
    assertThat(reading.bytes()).isEqualTo(Files.readAllBytes(out));
    assertThat(streams.logFailures()).isPositive();
  }

  @Test
  void aProcessWithoutLogAndClientIsNeverHeldUp() throws Exception {
    var streams = create(plan(false, false));

    var child = start(streams, "head -c 10000000 /dev/zero");

    assertThat(child.await()).isZero();
    assertThat(streams.drain(LONG)).isTrue();
  }

  @Tag("case-51")
  @Tag("pod-68")
  @Test
  void aBackgroundProcessThatKeepsTheOutputOpenIsNotWaitedFor() throws Exception {
    var streams = create(plan(false, true));
    var reading = Reading.of(attach(streams, false, true));
    var child = start(streams, "sleep 1000 & echo $!");
    child.await();

    assertThat(streams.drain(SHORT)).isFalse();

    var text = new String(reading.bytes(), StandardCharsets.US_ASCII);
    Kill.process(Integer.parseInt(text.strip()), Signal.KILL);
    assertThat(logged(false)).asString().isEqualTo(text);
  }

  @Tag("case-51")
  @Tag("pod-68")
  @Test
  void aBackgroundProcessThatNeverStopsWritingIsNotWaitedFor() throws Exception {
    var streams = create(plan(false, false));
    var reading = Reading.of(attach(streams, false, true));
    var child = start(streams, "yes & echo $! >&2");
    child.await();

    assertThat(streams.drain(SHORT)).isFalse();

    // With nobody to read it, it dies of SIGPIPE.
    assertThat(reading.bytes()).startsWith('y', '\n');
  }

  @Tag("pod-65")
  @Test
  void theEndOfAClientsInputEndsStandardInput() throws Exception {
    var in = randomFile("in", 4 << 20);
    var streams = create(plan(true, false));
    var client = client();
    streams.attachInput(client.second().duplicate());
    streams.attachOutput(Receiver.of(client.second()), false, true);
    var reading = Reading.of(client.first());
    var child = start(streams, "exec cat");

    send(client.first(), Files.readAllBytes(in));
    UnixSocket.endSending(client.first());

    assertThat(child.await()).isZero();
    streams.drain(LONG);
    assertThat(reading.bytes()).isEqualTo(Files.readAllBytes(in));
    streams.closeInput();
    streams.closeInput();
  }

  @Test
  void inputNobodyTakesDoesNotSpoilTheEndOfTheOutput() throws Exception {
    var streams = create(plan(true, false));
    var client = client();
    send(client.first(), new byte[150_000]);
    streams.attachInput(client.second().duplicate());
    streams.attachOutput(Receiver.of(client.second()), false, true);
    var child = start(streams, "echo done");
    child.await();

    streams.drain(LONG);
    streams.close();

    assertThat(Reading.of(client.first()).bytes()).asString().isEqualTo("done\n");
  }

  @Test
  void aFullStandardInputDoesNotHoldUpOthers() throws Exception {
    var busy = create(plan(true, false));
    var client = client();
    busy.attachInput(client.second());
    var sleeper = start(busy, "exec sleep 1000");
    send(client.first(), new byte[100_000]);
    client.first().close();
    var streams = ProcessStreams.create(pump, plan(false, false), store, "io/web/x", directory);
    open.add(streams);
    var reading = Reading.of(attach(streams, false, true));

    start(streams, "echo ok").await();

    assertThat(reading.bytes()).asString().isEqualTo("ok\n");
    sleeper.kill(Signal.KILL);
    sleeper.await();
  }

  @Tag("case-56")
  @Tag("pod-64")
  @Test
  void aTerminalHasTheLastSizeAskedForBeforeTheStart() throws Exception {
    var streams =
        create(
            new StreamPlan(true, true, Optional.of(new Terminal.Size(80, 25)), Optional.empty()));
    assertThat(streams.resize(new Terminal.Size(97, 41))).isTrue();
    assertThat(streams.resize(new Terminal.Size(0, 0))).isTrue();
    var client = client();
    streams.attachOutput(Receiver.of(client.second()), false, true);

    var child = startInTerminal(streams, "stty size");

    assertThat(child.await()).isZero();
    assertThat(streams.drain(LONG)).isTrue();
    assertThat(Reading.of(client.first()).bytes()).asString().isEqualTo("41 97\r\n");
    assertThat(streams.resize(new Terminal.Size(10, 10))).isTrue();
    assertThat(create(plan(false, false)).resize(new Terminal.Size(10, 10))).isFalse();
  }

  @Test
  void whatIsTypedBeforeTheTerminalIsThereArrives() throws Exception {
    var streams = create(new StreamPlan(true, true, Optional.empty(), Optional.empty()));
    var client = client();
    assertThat(streams.attachInput(client.second().duplicate())).isTrue();
    streams.attachOutput(Receiver.of(client.second()), false, true);
    send(client.first(), "early\n".getBytes(StandardCharsets.UTF_8));

    var child = startInTerminal(streams, "read line; echo got $line");

    assertThat(child.await()).isZero();
    assertThat(streams.drain(LONG)).isTrue();
    assertThat(Reading.of(client.first()).bytes()).asString().endsWith("got early\r\n");
  }

  @Test
  void clientsOfATerminalThatIsNeverThereAreLetGo() throws Exception {
    var streams = create(new StreamPlan(true, true, Optional.empty(), Optional.empty()));
    var client = client();
    streams.attachInput(client.second().duplicate());
    streams.attachOutput(Receiver.of(client.second()), false, true);

    streams.close();

    assertThat(Reading.of(client.first()).bytes()).isEmpty();
  }

  /** As a low-level runtime does it: makes a terminal, delivers it, runs the program in it. */
  private static Child startInTerminal(ProcessStreams streams, String script) throws IOException {
    try (var master = new Fd(openTerminal());
        var runtime =
            UnixSocket.connect(streams.consoleSocket().orElseThrow(), UnixSocket.Kind.STREAM)) {
      var slave = nameOf(master);
      UnixSocket.send(runtime, new byte[] {0}, List.of(master));
      streams.childStarted();
      return Spawn.of(List.of("sh", "-c", "exec <" + slave + " >" + slave + " 2>&1; " + script))
          .inNewSession()
          .start();
    }
  }

  private static int openTerminal() throws KernelException {
    int master =
        (int) Syscall.of("posix_openpt", JAVA_INT, JAVA_INT).call("open a terminal", 0x80102);
    Syscall.of("grantpt", JAVA_INT, JAVA_INT).call("grant a terminal", master);
    Syscall.of("unlockpt", JAVA_INT, JAVA_INT).call("unlock a terminal", master);
    return master;
  }

  private static String nameOf(Fd master) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      var name = arena.allocate(64);
      Syscall.of("ptsname_r", JAVA_INT, JAVA_INT, ADDRESS, JAVA_LONG)
          .call("name a terminal", master.number(), name, 64L);
      return name.getString(0);
    }
  }

  @Test
  void aHundredProcessesLeaveNothingOpen() throws Exception {
    round(100);
    long before = openDescriptors();

    round(100);

    assertThat(openDescriptors()).isEqualTo(before);
  }

  private void round(int count) throws Exception {
    record Running(ProcessStreams streams, Child child, Fd client, Reading reading) {}

    var all = new ArrayList<Running>();
    for (int i = 0; i < count; i++) {
      var streams =
          ProcessStreams.create(pump, plan(false, false), store, "io/" + i + "/init", directory);
      var pair = UnixSocket.pair(UnixSocket.Kind.STREAM);
      streams.attachOutput(Receiver.of(pair.second()), false, true);
      var reading = Reading.of(pair.first());
      all.add(
          new Running(streams, start(streams, "head -c 100000 /dev/zero"), pair.first(), reading));
    }
    for (var one : all) {
      one.child().await();
      assertThat(one.streams().drain(LONG)).isTrue();
      one.streams().close();
      assertThat(one.reading().bytes()).hasSize(100_000);
      one.client().close();
    }
  }

  private static long openDescriptors() throws IOException {
    try (var entries = Files.list(Path.of("/proc/self/fd"))) {
      return entries.count();
    }
  }
}
