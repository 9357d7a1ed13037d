package dev.caisson.engine.streams;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Pipe;
import dev.caisson.linux.Spawn;
import dev.caisson.linux.UnixSocket;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the next daemon finds after a kill at each step of the primer, and what it makes of it. */
@Timeout(120)
class TakeOverTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final String NAME = "io/web/init";
  private static final String EARLIER = "earlier\n";
  private static final String BATCH = "one\ntwo\nthree";

  @TempDir Path directory;

  private StreamPlan.LogPlan logPlan(long maxBytes) {
    return new StreamPlan.LogPlan(directory.resolve("log"), maxBytes, 1000);
  }

  private StreamPlan plan(long maxBytes) {
    return new StreamPlan(false, false, Optional.empty(), Optional.of(logPlan(maxBytes)));
  }

  private String logged() throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var reader = LogReader.open(directory.resolve("log"), () -> false)) {
      for (Optional<LogReader.Entry> entry; (entry = reader.next()).isPresent(); ) {
        bytes.writeBytes(entry.get().bytes());
      }
    }
    return bytes.toString(StandardCharsets.ISO_8859_1);
  }

  private static void write(Fd to, String text) throws IOException {
    try (var arena = Arena.ofConfined()) {
      to.write(arena.allocateFrom(JAVA_BYTE, text.getBytes(StandardCharsets.ISO_8859_1)));
    }
  }

  @Tag("case-52")
  @ParameterizedTest(name = "noted {0}, appended {1} bytes, logged {2}, client has {3}")
  @CsvSource({
    "false,   0, false,  0", // after the move into the spool
    "true,    0, false,  0", // before the append
    "true,    7, false,  0", // in the append
    "true, 1000, false,  0", // after the append
    "true, 1000, true,   0", // before the client got any
    "true, 1000, true,   5", // in the delivery
    "true, 1000, true,  13", // before the note that the spool is empty
  })
  void aKillAtAnyStepLosesAndRepeatsNothing(
      boolean noted, int appended, boolean logged, int delivered) throws Exception {
    var log = directory.resolve("log");
    var page = new LogPage();
    try (var writer = LogWriter.open(logPlan(1 << 20), page);
        var journal = Journal.open(directory.resolve("journal-init"))) {
      writer.append(segment(EARLIER), false, Instant.EPOCH);
      long size = writer.size();
      if (noted) {
        journal.note(false, size, BATCH.length());
        writer.append(segment(BATCH), false, Instant.EPOCH);
        writer.cutBackTo(Math.min(writer.size(), size + appended));
      }
      if (logged) {
        journal.noteLogged(false, BATCH.length());
        // The other stream goes on while a client holds up this one.
        writer.append(segment("error\n"), true, Instant.EPOCH);
      }
    }
    var out = Pipe.open();
    var outSpool = Pipe.open();
    var error = Pipe.open();
    var errorSpool = Pipe.open();
    write(outSpool.writeEnd(), BATCH.substring(delivered));
    if (delivered == BATCH.length()) {
      assertThat(Pipe.waiting(outSpool.readEnd())).isZero();
    }
    write(out.writeEnd(), "end\n");
    out.writeEnd().close();
    error.writeEnd().close();
    var held =
        List.of(
            out.readEnd(),
            outSpool.readEnd(),
            outSpool.writeEnd(),
            error.readEnd(),
            errorSpool.readEnd(),
            errorSpool.writeEnd());
    try (var pump = Pump.start();
        var client = UnixSocket.pair(UnixSocket.Kind.STREAM)) {
      var reading = Reading.of(client.first());
      var streams =
          ProcessStreams.adopt(
              pump,
              plan(1 << 20),
              Map.of(NAME, held, NAME + "#out", List.of(client.second())),
              DescriptorStore.none(),
              NAME,
              directory);

      assertThat(streams.drain(LONG)).isTrue();
      streams.close();

      assertThat(reading.bytes()).asString().isEqualTo(BATCH.substring(delivered) + "end\n");
      assertThat(logged()).isEqualTo(EARLIER + BATCH + (logged ? "error\n" : "") + "end\n");
      assertThat(Files.exists(log)).isTrue();
    }
  }

  private static MemorySegment segment(String text) {
    return Arena.ofAuto().allocateFrom(JAVA_BYTE, bytes(text));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @Tag("case-52")
  @Tag("case-54")
  @Test
  void aProcessWritesOnThroughManyDaemonsAndRotations() throws Exception {
    var random = new Random(52);
    var out = new byte[24 << 20];
    random.nextBytes(out);
    var file = Files.write(directory.resolve("out"), out);
    var store = new SharedStore();
    var plan = plan(1 << 20);
    try (var client = UnixSocket.pair(UnixSocket.Kind.STREAM)) {
      var pump = Pump.start();
      var streams = ProcessStreams.create(pump, plan, store, NAME, directory);
      streams.attachOutput(Receiver.of(client.second()), false, true);
      var child = Spawn.of(List.of("cat", file.toString())).withFds(streams.childEnds()).start();
      streams.childStarted();
      var reading = Reading.of(client.first());
      for (int daemon = 0; daemon < 20; daemon++) {
        // Not to wait for anything, but to end this daemon at another moment each time.
        Thread.sleep(random.nextInt(10));
        pump.close();
        pump = Pump.start();
        streams = ProcessStreams.adopt(pump, plan, store.held(), store, NAME, directory);
      }

      assertThat(child.await()).isZero();
      assertThat(streams.drain(LONG)).isTrue();
      streams.close();
      pump.close();
      assertThat(reading.bytes()).isEqualTo(out);
      assertThat(bytes(logged())).isEqualTo(out);
    }
  }

  @Test
  void whatAClientSendsArrivesOnceThroughManyDaemons() throws Exception {
    var random = new Random(53);
    var in = new byte[24 << 20];
    random.nextBytes(in);
    var file = directory.resolve("in");
    var store = new SharedStore();
    var plan = new StreamPlan(false, true, Optional.empty(), Optional.empty());
    try (var client = UnixSocket.pair(UnixSocket.Kind.STREAM);
        var sending = Executors.newSingleThreadExecutor()) {
      var pump = Pump.start();
      var streams = ProcessStreams.create(pump, plan, store, NAME, directory);
      streams.attachInput(client.second());
      var child =
          Spawn.of(List.of("sh", "-c", "cat >'" + file + "'")).withFds(streams.childEnds()).start();
      streams.childStarted();
      for (int daemon = 0; daemon < 20; daemon++) {
        var piece = Arrays.copyOfRange(in, daemon * in.length / 20, (daemon + 1) * in.length / 20);
        sending.execute(() -> write(client.first(), piece));
        // Not to wait for anything, but to end this daemon at another moment each time.
        Thread.sleep(random.nextInt(10));
        pump.close();
        pump = Pump.start();
        streams = ProcessStreams.adopt(pump, plan, store.held(), store, NAME, directory);
      }

      sending.submit(client.first()::close).get();
      assertThat(child.await()).isZero();
      assertThat(streams.drain(LONG)).isTrue();
      streams.close();
      pump.close();
      assertThat(Files.readAllBytes(file)).isEqualTo(in);
    }
  }

  private static void write(Fd to, byte[] bytes) {
    try (var arena = Arena.ofConfined()) {
      to.write(arena.allocateFrom(JAVA_BYTE, bytes));
    } catch (KernelException e) {
      throw new UncheckedIOException(e);
    }
  }
}
