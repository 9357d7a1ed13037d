package dev.caisson.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.library.AttachSettings;
import dev.caisson.library.ContainerState;
import dev.caisson.library.StreamCutException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ForegroundTest {
  private final FakeMachine machine = new FakeMachine();
  private final FakeNode node = machine.node;

  private static void awaitCall(FakeNode node, String call) {
    while (!node.calls.contains(call)) {
      Thread.onSpinWait();
    }
  }

  @Test
  void inputIsPassedOnAndItsEndToo() throws Exception {
    machine.input = new ByteArrayInputStream("typed".getBytes(StandardCharsets.UTF_8));
    var output = new PipedOutputStream();
    node.stdout = new PipedInputStream(output);

    var code = CompletableFuture.supplyAsync(() -> machine.run("run", "-i", "busybox"));
    node.inputEnded.await();
    output.close();

    assertThat(code.get()).isZero();
    assertThat(node.stdin.toString(StandardCharsets.UTF_8)).isEqualTo("typed");
    assertThat(node.attached).contains(AttachSettings.ALL);
  }

  @ParameterizedTest
  @ValueSource(strings = {"INT", "TERM", "HUP", "USR1", "USR2", "QUIT"})
  void signalsArePassedOn(String signal) throws Exception {
    var output = new PipedOutputStream();
    node.stdout = new PipedInputStream(output);

    var code = CompletableFuture.supplyAsync(() -> machine.run("run", "busybox"));
    awaitCall(node, "start " + FakeNode.ID);
    machine.receivers.get(signal).received(signal);
    awaitCall(node, "signal " + signal);
    output.close();

    assertThat(code.get()).isZero();
  }

  @Test
  void theThirdRequestToEndEndsUs() throws Exception {
    var output = new PipedOutputStream();
    node.stdout = new PipedInputStream(output);

    var code = CompletableFuture.supplyAsync(() -> machine.run("run", "busybox"));
    awaitCall(node, "start " + FakeNode.ID);
    for (int i = 0; i < 3; i++) {
      machine.receivers.get("INT").received("INT");
    }

    assertThat(code.get()).isEqualTo(130);
    output.close();
  }

  @Test
  void withoutProxySignalsStayOurs() {
    machine.run("run", "--sig-proxy=false", "busybox");

    assertThat(machine.receivers).isEmpty();
  }

  @Test
  void aTerminalIsRawUntilTheEndAndTellsItsSize() {
    machine.terminals.add(0);
    machine.terminals.add(1);

    machine.run("run", "-it", "busybox");

    assertThat(machine.raw).isTrue();
    assertThat(machine.restored).isTrue();
    assertThat(node.calls).contains("size 97x41");
    assertThat(node.created.getLast().process().terminalSize().orElseThrow().columns())
        .isEqualTo(97);
    assertThat(machine.receivers).containsOnlyKeys("WINCH");
  }

  @Test
  void aTerminalIsRestoredWhenTheStartFails() {
    machine.terminals.add(0);
    node.fail("start", dev.caisson.library.Reason.INTERNAL);

    assertThat(machine.run("run", "-it", "busybox")).isEqualTo(125);
    assertThat(machine.restored).isTrue();
  }

  @Test
  void aTerminalThatIsNotThereIsRefused() {
    assertThat(machine.run("run", "-it", "busybox")).isEqualTo(125);
    assertThat(machine.errors()).contains("not a terminal");
    assertThat(node.calls).isEmpty();
  }

  @Test
  void theKeysThatLeaveLeaveTheContainerRunning() throws Exception {
    machine.terminals.add(0);
    var output = new PipedOutputStream();
    node.stdout = new PipedInputStream(output);
    machine.input = new ByteArrayInputStream(new byte[] {'l', 's', 16, 16, 17, 'x'});

    int code = machine.run("run", "-it", "busybox");

    assertThat(code).isZero();
    assertThat(node.stdin.toByteArray()).containsExactly('l', 's', 16);
    assertThat(node.calls).doesNotContain("await " + FakeNode.ID);
    output.close();
  }

  @Test
  void lostOutputEndsUsAndNotTheContainer() {
    node.stdout = new ByteArrayInputStream(new byte[10]);
    machine.printTo(
        new java.io.OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("Broken pipe");
          }
        });

    assertThat(machine.run("run", "busybox")).isEqualTo(141);
    assertThat(node.calls).noneMatch(call -> call.startsWith("signal"));
  }

  @Test
  void aStreamThatWasCutOffIsToldOf() {
    node.containers.add(FakeNode.container("web", ContainerState.RUNNING));
    node.stdout = cut(StreamCutException.Cause.TOO_SLOW);

    assertThat(machine.run("attach", "web")).isZero();
    assertThat(machine.errors()).contains("warning: stdout: cut off");
  }

  @Test
  void aReaderOfOurPipeThatIsGoneEndsUsAndNotTheContainer() {
    node.stdout = cut(StreamCutException.Cause.READER_GONE);

    assertThat(machine.run("run", "busybox")).isEqualTo(141);
    assertThat(node.calls).noneMatch(call -> call.startsWith("signal"));
  }

  private static InputStream cut(StreamCutException.Cause why) {
    return new InputStream() {
      @Override
      public int read() throws IOException {
        throw new StreamCutException(why, "stdout: cut off");
      }
    };
  }

  @Test
  void outputIsWholeBeforeTheEnd() {
    var much = new byte[3_000_000];
    java.util.Arrays.fill(much, (byte) 'x');
    node.stdout = new ByteArrayInputStream(much);

    machine.run("exec", "web", "cat");

    assertThat(machine.printed.toByteArray()).isEqualTo(much);
  }
}
