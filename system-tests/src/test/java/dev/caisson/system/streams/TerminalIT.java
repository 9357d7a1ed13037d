package dev.caisson.system.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.library.ContainerState;
import dev.caisson.linux.Child;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Signal;
import dev.caisson.system.Installed;
import dev.caisson.system.PseudoTerminal;
import dev.caisson.system.TestNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The command line at a real terminal. */
@Tag("root")
@Timeout(180)
class TerminalIT {
  private static final String PROMPT = "/ # ";
  private static final String CTRL_C = "\3";
  private static final String CTRL_P_CTRL_Q = "\20\21";

  private TestNode node;
  private PseudoTerminal terminal;

  @BeforeEach
  void open() throws Exception {
    node = TestNode.open();
    terminal = PseudoTerminal.open();
  }

  @AfterEach
  void close() throws Exception {
    try {
      terminal.close();
    } finally {
      node.close();
    }
  }

  private Child caisson(String... words) throws KernelException {
    var environment = new HashMap<>(System.getenv());
    environment.put("CAISSON_ROOT", node.directory().toString());
    var command = new ArrayList<>(List.of(Installed.program("caisson").toString()));
    command.addAll(List.of(words));
    return terminal.start(environment, command);
  }

  private void awaitProgram(String container, String command) throws InterruptedException {
    while (node.containers().top(container).stream()
        .noneMatch(entry -> entry.command().contains(command))) {
      // What a container runs has no event; the test's time limit bounds this.
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  @Test
  void whatIsTypedIntoAnExecArrivesAndIsEchoed() throws Exception {
    var id = node.start("sleep 1000");
    var before = terminal.modes();

    var exec = caisson("exec", "-it", id, "sh");
    terminal.await(PROMPT);
    terminal.type("echo a$((1+1))b\r");

    terminal.await("echo a$((1+1))b\r\n");
    terminal.await("a2b\r\n");
    terminal.type("exit 5\r");
    assertThat(terminal.await(exec)).isEqualTo(5);
    assertThat(terminal.modes()).isEqualTo(before);
  }

  @Tag("case-56")
  @Tag("case-63")
  @Test
  void anExecHasTheSizeOfTheWindowFromTheStartAndFollowsIt() throws Exception {
    var id = node.start("sleep 1000");
    terminal.resize(97, 41);

    var exec = caisson("exec", "-it", id, "sh", "-c", "stty size; exec sh");
    terminal.await("41 97\r\n");
    terminal.await(PROMPT);
    terminal.resize(101, 37);
    terminal.type("until [ \"$(stty size)\" = '37 101' ]; do sleep 0.02; done; echo fol''lows\r");

    terminal.await("follows\r\n");
    terminal.type("exit\r");
    assertThat(terminal.await(exec)).isZero();
  }

  @Tag("case-63")
  @Test
  void ctrlCReachesTheProgramInTheContainer() throws Exception {
    var id = node.start("exec sleep 1000");
    var exec = caisson("exec", "-it", id, "sh");
    terminal.await(PROMPT);
    terminal.type("sleep 2222\r");
    awaitProgram(id, "sleep 2222");

    terminal.type(CTRL_C);
    terminal.type("echo b''ack $?\r");

    terminal.await("back 130\r\n");
    terminal.type("exit\r");
    assertThat(terminal.await(exec)).isZero();
  }

  @Test
  void aContainerIsLeftByKeysAndAttachedToAgain() throws Exception {
    var before = terminal.modes();
    var run = caisson("run", "-it", "--name", "kept", "builtin/busybox", "sh");
    terminal.await(PROMPT);
    terminal.type("x=4; echo t''yped\r");
    terminal.await("typed\r\n");

    terminal.type(CTRL_P_CTRL_Q);
    assertThat(terminal.await(run)).isZero();

    assertThat(terminal.modes()).isEqualTo(before);
    assertThat(node.containers().inspect("kept").summary().state())
        .isEqualTo(ContainerState.RUNNING);
    var attach = caisson("attach", "kept");
    terminal.type("echo x is $x\r");
    terminal.await("x is 4\r\n");
    terminal.type("exit 6\r");
    assertThat(terminal.await(attach)).isEqualTo(6);
    assertThat(terminal.modes()).isEqualTo(before);
  }

  @Tag("case-57")
  @Test
  void aTerminatedClientPutsTheTerminalBack() throws Exception {
    var id = node.start("sleep 1000");
    var before = terminal.modes();
    var exec = caisson("exec", "-it", id, "sh");
    terminal.await(PROMPT);
    assertThat(terminal.modes()).isNotEqualTo(before);

    exec.kill(Signal.TERM);

    assertThat(terminal.await(exec)).isEqualTo(128 + 15);
    assertThat(terminal.modes()).isEqualTo(before);
  }

  @Tag("case-57")
  @Test
  void aProgramThatIsMissingEndsAtOnceWithTheTerminalPutBack() throws Exception {
    var id = node.start("sleep 1000");
    var before = terminal.modes();

    assertThat(terminal.await(caisson("exec", "-it", id, "nosuch"))).isEqualTo(127);
    assertThat(terminal.modes()).isEqualTo(before);
    assertThat(terminal.await(caisson("run", "-it", "--rm", "builtin/busybox", "nosuch")))
        .isEqualTo(127);
    assertThat(terminal.modes()).isEqualTo(before);
  }
}
