package dev.caisson.system.crash;

import static dev.caisson.system.TestNode.BUSYBOX;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.library.AttachSettings;
import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.MountSettings;
import dev.caisson.library.NodeInfo;
import dev.caisson.system.TestNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The keeper is killed: another one takes over, and from then on all is as before. */
@Tag("root")
@Timeout(180)
class KeeperDeathIT {
  private TestNode node;
  private Path flags;

  @BeforeEach
  void open() throws Exception {
    node = TestNode.open();
    flags = Files.createDirectory(node.directory().resolve("flags"));
  }

  @AfterEach
  void close() {
    node.close();
  }

  private NodeInfo killKeeper() throws InterruptedException {
    var before = node.caisson().info();
    ProcessHandle.of(before.keeperPid()).orElseThrow().destroyForcibly();
    return awaitAnotherDaemon(before.daemonPid());
  }

  private NodeInfo awaitAnotherDaemon(int pid) throws InterruptedException {
    for (; ; ) {
      try {
        var info = node.caisson().info();
        if (info.daemonPid() != pid) {
          return info;
        }
      } catch (CaissonException e) {
        assertThat(e.getMessage()).isNotEmpty();
      }
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  private ContainerSettings untilTold(int code) {
    return ContainerSettings.of(
            BUSYBOX, "sh", "-c", "until [ -e /flags/end ]; do sleep 0.02; done; exit " + code)
        .withMounts(List.of(MountSettings.bind(flags.toString(), "/flags")));
  }

  /** Kernels tell the exit of a process through its pidfd from 6.15 on. */
  private static Integer[] known(int code) {
    var version = System.getProperty("os.version").split("[.-]");
    int number = Integer.parseInt(version[0]) * 1000 + Integer.parseInt(version[1]);
    return number >= 6015 ? new Integer[] {code} : new Integer[] {code, 255};
  }

  @Test
  void anotherKeeperTakesOverAndContainersGoOn() throws Exception {
    var id = node.start(untilTold(31));
    var pid = node.containers().inspect(id).pid();
    var before = node.caisson().info();

    var after = killKeeper();

    assertThat(after.keeperPid()).isPositive().isNotEqualTo(before.keeperPid());
    assertThat(after.notes()).anyMatch(note -> note.contains("keeper was killed and replaced"));
    assertThat(node.containers().inspect(id).pid()).isEqualTo(pid);
    assertThat(node.exec(id, "echo", "here").stdout()).isEqualTo("here\n");
    Files.createFile(flags.resolve("end"));
    assertThat(node.containers().await(id).code()).isIn((Object[]) known(31));
    assertThat(node.run("echo new; exit 4"))
        .satisfies(outcome -> {
          assertThat(outcome.stdout()).isEqualTo("new\n");
          assertThat(outcome.code()).isEqualTo(4);
        });
  }

  @Test
  void anExitWithoutADaemonIsKnownAlsoAfterTheKeepersDeath() throws Exception {
    var id = node.start(untilTold(42));
    var info = killKeeper();

    ProcessHandle.of(info.daemonPid()).orElseThrow().destroyForcibly();
    Files.createFile(flags.resolve("end"));
    awaitAnotherDaemon(info.daemonPid());

    assertThat(node.containers().await(id).code()).isIn((Object[]) known(42));
  }

  @Test
  void noByteOfOutputIsLostAtDeathsOfKeepersAndDaemons() throws Exception {
    var script =
        "i=0; until [ -e /flags/end ]; do i=$((i+1)); echo $i;"
            + " [ $((i%20)) = 0 ] && sleep 0.005; done; exit 23";
    var id =
        node.containers()
            .create(
                ContainerSettings.of(BUSYBOX, "sh", "-c", script)
                    .withMounts(List.of(MountSettings.bind(flags.toString(), "/flags"))))
            .id();
    try (var attachment = node.containers().attach(id, AttachSettings.OUTPUT)) {
      node.containers().start(id);
      var output = TestNode.text(attachment.stdout());
      var end = CompletableFuture.supplyAsync(attachment::await, t -> Thread.ofVirtual().start(t));
      for (int i = 0; i < 3; i++) {
        int daemon = killKeeper().daemonPid();
        ProcessHandle.of(daemon).orElseThrow().destroyForcibly();
        awaitAnotherDaemon(daemon);
      }
      Files.createFile(flags.resolve("end"));

      var lines = output.get(60, TimeUnit.SECONDS).lines().toList();
      assertThat(lines).hasSizeGreaterThan(100);
      for (int i = 0; i < lines.size(); i++) {
        assertThat(lines.get(i)).isEqualTo(Integer.toString(i + 1));
      }
      assertThat(end.get(60, TimeUnit.SECONDS).code()).isIn((Object[]) known(23));
    }
  }
}
