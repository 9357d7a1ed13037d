package dev.caisson.system.input;

import static dev.caisson.system.TestNode.BUSYBOX;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.library.ContainerSummary;
import dev.caisson.system.Leftovers;
import dev.caisson.system.Ran;
import dev.caisson.system.TestNode;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a user gets wrong on the command line: a clear sentence, Docker's exit code, nothing left
 * over.
 */
@Tag("root")
class BadInputIT {
  private static final int NOT_RUN = 125;
  private static final int NOT_EXECUTABLE = 126;
  private static final int NOT_FOUND = 127;
  private static final int FAILED = 1;

  private static TestNode node;

  @TempDir private static Path folder;

  private Leftovers leftovers;

  @BeforeAll
  static void open() throws Exception {
    node = TestNode.open();
    var id = node.start("sleep 1000");
    node.exec(id, "true");
    node.containers().remove(id, true);
    node.cli("run", "--rm", BUSYBOX, "nosuch");
    node.cli("run", "--rm", "-v", folder + ":/folder", BUSYBOX, "true");
    Files.writeString(folder.resolve("file"), "text");
  }

  @AfterAll
  static void close() {
    node.close();
  }

  @BeforeEach
  void lookBefore() {
    leftovers = Leftovers.before(node);
  }

  @AfterEach
  void nothingIsLeftOver() throws Exception {
    var containers = node.containers().list();
    containers.forEach(container -> node.containers().remove(container.id(), true));
    assertThat(containers).extracting(ContainerSummary::command).isEmpty();
    leftovers.assertNone();
  }

  static Stream<Arguments> mistakes() {
    var missing = folder.resolve("missing").toString();
    return Stream.of(
        mistake(
            NOT_FOUND, "a program that is not there", "nosuch", "run", "--rm", BUSYBOX, "nosuch"),
        mistake(
            NOT_FOUND, "a path that is not there", "/no/such", "run", "--rm", BUSYBOX, "/no/such"),
        mistake(
            NOT_EXECUTABLE,
            "a file that is no program",
            "/etc/passwd",
            "run",
            "--rm",
            BUSYBOX,
            "/etc/passwd"),
        mistake(NOT_EXECUTABLE, "a directory", "/etc", "run", "--rm", BUSYBOX, "/etc"),
        mistake(
            NOT_RUN, "an unknown user", "'nobodyhere'", "run", "-u", "nobodyhere", BUSYBOX, "id"),
        mistake(
            NOT_RUN,
            "an unknown group",
            "'groupnowhere'",
            "run",
            "-u",
            "root:groupnowhere",
            BUSYBOX,
            "id"),
        mistake(
            NOT_RUN,
            "a user id too large",
            "99999999999",
            "run",
            "-u",
            "99999999999",
            BUSYBOX,
            "id"),
        mistake(
            NOT_RUN,
            "a bind mount whose source is not there",
            missing,
            "run",
            "--mount",
            "type=bind,src=" + missing + ",dst=/x",
            BUSYBOX,
            "true"),
        mistake(
            NOT_RUN,
            "a mount without target",
            "'type=bind,src=/'",
            "run",
            "--mount",
            "type=bind,src=/",
            BUSYBOX,
            "true"),
        mistake(
            NOT_RUN,
            "an unknown kind of mount",
            "'magic'",
            "run",
            "--mount",
            "type=magic,dst=/x",
            BUSYBOX,
            "true"),
        mistake(NOT_RUN, "a relative volume", "'a/b'", "run", "-v", "a/b:/x", BUSYBOX, "true"),
        mistake(NOT_RUN, "an unknown option", "'--frobnicate'", "run", "--frobnicate", BUSYBOX),
        mistake(NOT_RUN, "an unknown short option", "'-Z'", "run", "-Z", BUSYBOX),
        mistake(NOT_RUN, "an option without its value", "--name", "run", "--name"),
        mistake(NOT_RUN, "an unknown command", "'frobnicate'", "frobnicate"),
        mistake(NOT_RUN, "no image", "IMAGE", "run"),
        mistake(NOT_RUN, "a limit that is no size", "'much'", "run", "-m", "much", BUSYBOX, "true"),
        mistake(NOT_RUN, "a limit too small", "memory", "run", "-m", "1", BUSYBOX, "true"),
        mistake(NOT_RUN, "cpus below none", "--cpus", "run", "--cpus", "-1", BUSYBOX, "true"),
        mistake(
            NOT_RUN, "an unknown network", "'moon'", "run", "--network", "moon", BUSYBOX, "true"),
        mistake(
            NOT_RUN,
            "an unknown signal",
            "'SIGFOO'",
            "run",
            "--stop-signal",
            "SIGFOO",
            BUSYBOX,
            "true"),
        mistake(
            NOT_RUN,
            "a runtime that is not there",
            "/no/runtime",
            "run",
            "--runtime",
            "/no/runtime",
            BUSYBOX,
            "true"),
        mistake(
            NOT_RUN,
            "a device that is not there",
            "/dev/nosuch",
            "run",
            "--device",
            "/dev/nosuch",
            BUSYBOX,
            "true"),
        mistake(
            NOT_RUN, "an unknown capability", "FLY", "run", "--cap-add", "FLY", BUSYBOX, "true"),
        mistake(
            NOT_RUN, "a name with blanks", "'no blanks'", "run", "--name", "no blanks", BUSYBOX),
        mistake(
            NOT_RUN,
            "an image's name in capitals",
            "Some/Image",
            "run",
            "--pull",
            "never",
            "Some/Image",
            "true"),
        mistake(
            NOT_RUN,
            "an image whose digest is cut off",
            "sha256:abc",
            "run",
            "--pull",
            "never",
            "box@sha256:abc",
            "true"),
        mistake(
            NOT_RUN,
            "an image that is not on this node",
            "'example.org/no/such:1'",
            "run",
            "--pull",
            "never",
            "example.org/no/such:1",
            "true"),
        mistake(
            NOT_RUN,
            "a file of variables that is not there",
            missing,
            "run",
            "--env-file",
            missing,
            BUSYBOX,
            "true"),
        mistake(
            NOT_RUN,
            "a working directory below a file",
            "/etc/passwd",
            "run",
            "--rm",
            "-w",
            "/etc/passwd/x",
            BUSYBOX,
            "true"),
        mistake(FAILED, "a container that is not there", "'nosuch'", "start", "nosuch"),
        mistake(FAILED, "a container that is not there to stop", "'nosuch'", "stop", "nosuch"),
        mistake(FAILED, "a container that is not there to remove", "'nosuch'", "rm", "nosuch"),
        mistake(FAILED, "a log that is not there", "'nosuch'", "logs", "nosuch"),
        mistake(FAILED, "an image that is not there to remove", "nosuch", "rmi", "nosuch"),
        mistake(FAILED, "an image that is not there to tag", "nosuch", "tag", "nosuch", "other"),
        mistake(
            FAILED,
            "an image that is not there to save",
            "nosuch",
            "save",
            "-o",
            folder.resolve("x.tar").toString(),
            "nosuch"),
        mistake(FAILED, "an archive that is not there", missing, "load", "-i", missing),
        mistake(
            FAILED,
            "an archive that is none",
            "docker save",
            "load",
            "-i",
            folder.resolve("file").toString()),
        mistake(NOT_RUN, "a wrong template", "NoField", "images", "--format", "{{.NoField}}"),
        mistake(NOT_RUN, "a wrong filter", "'moon=full'", "ps", "--filter", "moon=full"),
        mistake(NOT_RUN, "a wrong time", "'yestermonth'", "events", "--since", "yestermonth"));
  }

  private static Arguments mistake(int code, String what, String named, String... command) {
    return Arguments.of(what, code, named, List.of(command));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mistakes")
  void aMistakeIsNamedAndLeavesNothing(String what, int code, String named, List<String> command)
      throws Exception {
    var words = command.toArray(String[]::new);

    var ran = node.cli(words);

    assertRefused(ran, code, named);
  }

  private static void assertRefused(Ran ran, int code, String named) {
    assertThat(ran.status()).as(ran.err()).isEqualTo(code);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err()).startsWith("caisson: ").contains(named);
    assertThat(ran.err()).doesNotContain("Exception", "defect", "\tat ");
    assertThat(ran.err().lines().count()).as(ran.err()).isLessThanOrEqualTo(2);
  }

  @Test
  void anExecOfAMissingProgramSaysSoAndTheContainerGoesOn() throws Exception {
    var id = node.start("sleep 1000");

    assertRefused(node.cli("exec", id, "nosuch"), NOT_FOUND, "nosuch");
    assertRefused(node.cli("exec", id, "/etc/passwd"), NOT_EXECUTABLE, "/etc/passwd");
    assertRefused(node.cli("exec", "-u", "nobodyhere", id, "id"), NOT_RUN, "'nobodyhere'");
    assertRefused(node.cli("exec", "-w", "/no/such", id, "true"), NOT_RUN, "/no/such");
    assertThat(node.exec(id, "echo", "here").stdout()).isEqualTo("here\n");
    assertThat(node.containers().inspect(id).execs()).isEmpty();

    node.containers().remove(id, true);
  }

  @Test
  void aNameInUseIsRefusedAndItsHolderGoesOn() throws Exception {
    var first = node.cli("run", "-d", "--name", "taken", BUSYBOX, "sleep", "1000").out().strip();

    var second = node.cli("run", "-d", "--name", "taken", BUSYBOX, "sleep", "1000");

    assertRefused(second, NOT_RUN, "'taken'");
    assertThat(second.err()).contains(first.substring(0, 12));
    assertThat(node.containers().list()).hasSize(1);
    node.containers().remove(first, true);
  }

  @Test
  void aPortInUseIsTheProgramsToTellInTheHostsNetwork() throws Exception {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var address = "127.0.0.1:" + socket.getLocalPort();

      var ran = node.cli("run", "--rm", "--network", "host", BUSYBOX, "httpd", "-f", "-p", address);

      assertThat(ran.status()).isEqualTo(1);
      assertThat(ran.err()).contains("in use");
    }
  }

  @Test
  void aContainerThatCannotStartCanBeLookedAtAndRemoved() throws Exception {
    var id = node.cli("create", BUSYBOX, "nosuch").out().strip();

    assertRefused(node.cli("start", id), FAILED, "nosuch");

    assertThat(node.cli("ps", "-a").out()).contains("nosuch", "Created");
    assertThat(node.cli("rm", id).status()).isZero();
  }
}
