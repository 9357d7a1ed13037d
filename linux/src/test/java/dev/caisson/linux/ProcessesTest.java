package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProcessesTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private static Spawn shell(String script) {
    return Spawn.of(List.of("sh", "-c", script));
  }

  @Test
  void aProgramsOutputsAndCodeAreKept() throws Exception {
    var result = Program.run(shell("echo out; echo err >&2; exit 37"), LONG);

    assertThat(result.output()).asString().isEqualTo("out\n");
    assertThat(result.errors()).asString().isEqualTo("err\n");
    assertThat(result.waitStatus()).isEqualTo(37 << 8);
    assertThat(result.outcome()).isEqualTo("ended with 37");
  }

  @Tag("case-59")
  @Test
  void aTalkativeProgramIsNotHeldUpByAFullPipe() throws Exception {
    var result =
        Program.run(
            shell("head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero; exit 1"), LONG);

    assertThat(result.waitStatus()).isEqualTo(1 << 8);
    assertThat(result.errors()).hasSize(256 << 10);
  }

  @Tag("case-59")
  @Test
  void aProgramThatNeverEndsIsKilledWhenItsTimeIsUp() throws Exception {
    var result = Program.run(shell("exec sleep 1000"), Duration.ofMillis(100));

    assertThat(result.timedOut()).isTrue();
    assertThat(result.outcome()).contains("killed");
  }

  @Test
  void aBackgroundChildHoldingTheOutputDoesNotHoldUpTheResult() throws Exception {
    var result = Program.run(shell("sleep 1000 & echo $!"), LONG);

    var left = Integer.parseInt(new String(result.output(), StandardCharsets.UTF_8).strip());
    assertThat(Kill.process(left, Signal.KILL)).isTrue();
  }

  @Test
  void aMissingOrUnusableProgramIsNamed(@TempDir Path dir) throws Exception {
    var plain = Files.writeString(dir.resolve("plain"), "x");

    assertThatThrownBy(() -> Spawn.of(List.of("/no/such")).start())
        .isInstanceOfSatisfying(
            KernelException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT))
        .hasMessageContaining("/no/such");
    assertThatThrownBy(() -> Spawn.of(List.of(plain.toString())).start())
        .isInstanceOfSatisfying(
            KernelException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EACCES));
  }

  @Test
  void aChildHasOnlyWhatItWasGiven(@TempDir Path dir) throws Exception {
    try (var leaked = Pipe.open()) {
      var result =
          Program.run(
              new Spawn(
                  List.of("sh", "-c", "ls /proc/self/fd; pwd; env; cat /proc/self/status"),
                  Map.of("A", "b"),
                  Optional.of(dir),
                  List.of(),
                  true),
              LONG);

      var text = new String(result.output(), StandardCharsets.UTF_8);
      assertThat(text).startsWith("0\n1\n2\n3\n" + dir + "\n").contains("A=b\n");
      assertThat(text).doesNotContain("HOME=").contains("SigBlk:\t0000000000000000");
      assertThat(leaked.readEnd().isOpen()).isTrue();
    }
  }

  @Test
  void descriptorsCanBeGivenCrosswise() throws Exception {
    try (var first = Pipe.open();
        var second = Pipe.open()) {
      var child =
          shell("echo one; echo two >&2")
              .withFds(List.of(DevNull.open(), second.writeEnd(), first.writeEnd()))
              .start();
      assertThat(child.await()).isZero();

      assertThat(read(first.readEnd())).isEqualTo("two\n");
      assertThat(read(second.readEnd())).isEqualTo("one\n");
    }
  }

  private static String read(Fd fd) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      var buffer = arena.allocate(1000);
      int n = (int) fd.read(buffer);
      return new String(buffer.asSlice(0, n).toArray(JAVA_BYTE), StandardCharsets.UTF_8);
    }
  }

  @Test
  void aPidfdMeansOneProcessAndTellsItsEnd() throws Exception {
    var child = Spawn.of(List.of("sleep", "1000")).start();
    var identity = ProcessIdentity.of(child.pid()).orElseThrow();
    try (var pidfd = Pidfd.open(identity).orElseThrow()) {
      assertThat(identity.isAlive()).isTrue();
      assertThat(pidfd.awaitEnd(0)).isFalse();

      assertThat(pidfd.send(Signal.TERM)).isTrue();
      assertThat(pidfd.awaitEnd(30_000)).isTrue();
      assertThat(identity.isAlive()).isFalse();
      assertThat(child.await()).isEqualTo(15);

      assertThat(pidfd.send(Signal.TERM)).isFalse();
      assertThat(Pidfd.open(identity)).isEmpty();
      pidfd.waitStatus().ifPresent(status -> assertThat(status).isEqualTo(15));
    }
  }

  @Test
  void aProcessNameWithParenthesesIsRead() {
    var status =
        ProcessStatus.parse(
            "42 (a) b (c) S 1 42 42 34816 42 4194304 1 0 0 0 7 8 0 0 20 0 1 0 999 1 1");

    assertThat(status.name()).isEqualTo("a) b (c");
    assertThat(status.parent()).isEqualTo(1);
    assertThat(status.userTicks()).isEqualTo(7);
    assertThat(status.startTime()).isEqualTo(999);
  }

  @Tag("case-60")
  @ParameterizedTest
  @CsvSource({
    "SIGRTMIN+3, 37, SIGRTMIN+3",
    "rtmin+3, 37, SIGRTMIN+3",
    "37, 37, SIGRTMIN+3",
    "SIGRTMINPLUS3, 37, SIGRTMIN+3",
    "SIGRTMAX-1, 63, SIGRTMIN+29",
    "RTMAX-14, 50, SIGRTMIN+16",
    "SIGRTMAXMINUS14, 50, SIGRTMIN+16",
    "SIGRTMIN, 34, SIGRTMIN+0",
    "RTMAX, 64, SIGRTMIN+30",
    "SIGTERM, 15, SIGTERM",
    "term, 15, SIGTERM",
    "Kill, 9, SIGKILL",
    "SIGCLD, 17, SIGCHLD",
    "poll, 29, SIGIO",
    "1, 1, SIGHUP"
  })
  void signalsAreReadAsPeopleWriteThem(String text, int number, String name) {
    assertThat(Signal.parse(text).number()).isEqualTo(number);
    assertThat(Signal.parse(text).usualName()).isEqualTo(name);
  }

  @Tag("case-60")
  @Tag("pod-60")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0",
        "65",
        "-1",
        "SIGFOO",
        "RTMIN+31",
        "RTMAX-31",
        "RTMIN+",
        "9x",
        "-9",
        "9999999999",
        "15 ",
        "RTMIN+x",
        "RTMIN++3",
        "32",
        "33"
      })
  void whatIsNoSignalIsRefused(String text) {
    assertThatThrownBy(() -> Signal.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("signal");
  }

  @Test
  void descriptorsTravelOverSockets() throws Exception {
    try (var pair = UnixSocket.pair(UnixSocket.Kind.SEQPACKET);
        var pipe = Pipe.open()) {
      UnixSocket.send(pair.first(), new byte[] {1, 2, 3}, List.of(pipe.writeEnd()));

      var buffer = new byte[100];
      var got = UnixSocket.receive(pair.second(), buffer);
      assertThat(got.length()).isEqualTo(3);
      try (var sent = got.descriptors().getFirst();
          var arena = Arena.ofConfined()) {
        sent.write(arena.allocateFrom("hi"));
      }
      assertThat(read(pipe.readEnd())).isEqualTo("hi\0");

      UnixSocket.end(pair.first());
      assertThat(UnixSocket.receive(pair.second(), buffer).length()).isZero();
    }
  }

  @Test
  void aSocketFileIsItsOwnersAndTellsThePeer(@TempDir Path dir) throws Exception {
    var path = dir.resolve("s.sock");
    try (var listening = UnixSocket.listen(path, UnixSocket.Kind.STREAM);
        var client = UnixSocket.connect(path, UnixSocket.Kind.STREAM);
        var accepted = UnixSocket.accept(listening)) {
      assertThat(Files.getPosixFilePermissions(path)).hasSize(2);
      assertThat(UnixSocket.peer(accepted).pid()).isEqualTo((int) ProcessHandle.current().pid());
      assertThat(client.isOpen()).isTrue();
    }
  }

  @Tag("case-49")
  @Test
  void aSocketPathThatIsTooLongIsRefusedWithTheRule(@TempDir Path dir) {
    var path = dir.resolve("x".repeat(120));

    assertThatThrownBy(() -> UnixSocket.listen(path, UnixSocket.Kind.STREAM))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most 107");
  }

  @Test
  void bytesMoveAndCopyInsideTheKernel() throws Exception {
    try (var a = Pipe.open();
        var b = Pipe.open();
        var c = Pipe.open();
        var arena = Arena.ofConfined()) {
      a.writeEnd().write(arena.allocateFrom("hello").asSlice(0, 5));

      assertThat(Splice.move(a.readEnd(), b.writeEnd(), 100)).isEqualTo(5);
      assertThat(Splice.copy(b.readEnd(), c.writeEnd(), 100)).isEqualTo(5);
      assertThat(Splice.move(a.readEnd(), b.writeEnd(), 100)).isEqualTo(Splice.WOULD_BLOCK);
      assertThat(Pipe.waiting(b.readEnd())).isEqualTo(5);
      assertThat(read(c.readEnd())).isEqualTo("hello");
      a.writeEnd().close();
      assertThat(Splice.move(a.readEnd(), b.writeEnd(), 100)).isZero();
    }
  }

  @Test
  void anEpollSetTellsWhichDescriptorIsReady() throws Exception {
    try (var epoll = new Epoll();
        var event = new EventFd();
        var pipe = Pipe.open();
        var arena = Arena.ofConfined()) {
      epoll.add(event.fd(), Epoll.IN, 7);
      epoll.add(pipe.readEnd(), Epoll.IN, 1L << 40);
      var seen = new ArrayList<Long>();

      assertThat(epoll.await(0, (key, _) -> seen.add(key))).isZero();
      event.signal();
      pipe.writeEnd().write(arena.allocateFrom("x"));
      epoll.await(30_000, (key, _) -> seen.add(key));

      assertThat(seen).containsExactlyInAnyOrder(7L, 1L << 40);
      event.clear();
      epoll.remove(pipe.readEnd());
      assertThat(epoll.await(0, (key, _) -> seen.add(key))).isZero();
    }
  }
}
