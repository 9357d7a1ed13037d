package dev.caisson.system.security;

import static dev.caisson.system.TestNode.BUSYBOX;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.system.Ran;
import dev.caisson.system.TestNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What containers and other users of the machine can do to the node and its user. */
@Tag("root")
class StrangersIT {
  private static final String CLEAR = "\u001b[2J\u001b]0;title\u0007\u202e\b";

  private static TestNode node;

  @BeforeAll
  static void open() {
    node = TestNode.open();
  }

  @AfterAll
  static void close() {
    node.close();
  }

  @Tag("case-113")
  @Test
  void whatContainersAreCalledAndSayReachesATerminalWrittenOut() throws Exception {
    var id =
        node.cli("create", "--label", "note=" + CLEAR, BUSYBOX, "sh", "-c", "echo " + CLEAR)
            .out()
            .strip();

    assertHarmless(node.cli("ps", "-a", "--no-trunc"));
    assertHarmless(node.cli("ps", "-a", "--format", "{{.Command}} {{.Labels}}"));
    assertHarmless(node.cli("ps", "-a", "--format", "json"));
    assertHarmless(node.cli("inspect", id));
    assertHarmless(node.cli("inspect", "--format", "{{.Config.Labels}}", id));
    assertHarmless(node.cli("run", "--rm", BUSYBOX, "no" + CLEAR));
    assertHarmless(node.cli("exec", CLEAR, "true"));
    assertHarmless(node.cli(CLEAR));

    node.cli("start", id);
    node.containers().await(id);
    // Bytes of a program are the program's own: whoever asks for its output gets it.
    assertThat(node.cli("logs", id).out()).contains("\u001b[2J");
    node.containers().remove(id, true);
  }

  private static void assertHarmless(Ran ran) {
    for (var text : List.of(ran.out(), ran.err())) {
      assertThat(text.chars().filter(c -> c < ' ' && c != '\n' || c == 0x7f || c == 0x202e))
          .as(text)
          .isEmpty();
    }
  }

  @Tag("case-117")
  @Test
  void theNodeHasNoSocketWithoutAFile() throws Exception {
    var own = new ArrayList<String>();
    for (var pid : List.of(node.daemonPid(), node.caisson().info().keeperPid())) {
      try (var descriptors = Files.newDirectoryStream(Path.of("/proc/" + pid + "/fd"))) {
        for (var descriptor : descriptors) {
          var target = Files.readSymbolicLink(descriptor).toString();
          if (target.startsWith("socket:[")) {
            own.add(target.substring("socket:[".length(), target.length() - 1));
          }
        }
      }
    }

    assertThat(own).isNotEmpty();
    assertThat(Files.readAllLines(Path.of("/proc/net/unix")).stream().skip(1))
        .noneMatch(line -> {
          var fields = line.strip().split("\\s+");
          return own.contains(fields[6]) && fields.length > 7 && fields[7].startsWith("@");
        });
  }

  @Tag("case-117")
  @Test
  void itsSocketIsRootsInADirectoryNobodyElseCanList() throws Exception {
    var run = Path.of(node.caisson().info().runRoot());

    assertThat(permissions(run)).isEqualTo("rwx--x--x");
    assertThat(permissions(run.resolve("caisson.sock"))).isEqualTo("rw-------");
    assertThat(permissions(node.directory().resolve("containers"))).isEqualTo("rwx--x--x");
    assertThat(permissions(node.directory().resolve("layers"))).isEqualTo("rwx--x--x");
  }

  @Tag("case-117")
  @Test
  void anotherUserCannotTalkToTheDaemon() throws Exception {
    Files.setPosixFilePermissions(node.directory(), PosixFilePermissions.fromString("rwxr-xr-x"));
    var socket = Path.of(node.caisson().info().runRoot()).resolve("caisson.sock");

    var ran =
        Ran.of(
            Map.of("PATH", "/usr/bin:/bin"),
            List.of(
                "setpriv",
                "--reuid=65534",
                "--regid=65534",
                "--clear-groups",
                "perl",
                "-e",
                "use IO::Socket::UNIX; IO::Socket::UNIX->new(Peer => '"
                    + socket
                    + "') or do { print qq{$!\\n}; exit 3 };"));

    assertThat(ran.status()).as(ran.out() + ran.err()).isEqualTo(3);
    assertThat(ran.out()).contains("Permission denied");
  }

  private static String permissions(Path path) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
