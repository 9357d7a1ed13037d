package dev.caisson.system.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.system.TestNode;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The keeper is killed: containers go on, and what is lost is told. */
@Tag("root")
class KeeperDeathIT {
  private TestNode node;

  @BeforeEach
  void open() {
    node = TestNode.open();
  }

  @AfterEach
  void close() {
    node.close();
  }

  @Test
  void containersGoOnAndTheirExitsAreStillKnown() throws Exception {
    var id = node.start("while [ ! -e /end ]; do sleep 0.05; done; exit 31");
    var keeper = ProcessHandle.of(node.caisson().info().keeperPid()).orElseThrow();

    keeper.destroyForcibly();
    keeper.onExit().get(30, TimeUnit.SECONDS);

    // It may be over and reaped by the system's init before anybody can look at it: then it is
    // unknown.
    assertThat(node.exec(id, "touch", "/end").code()).isIn(0, 255);
    // Told by the kernel through the pidfd from 6.15 on; before it nobody knows.
    assertThat(node.containers().await(id).code()).isIn(31, 255);
    assertThat(node.run("echo new; exit 4"))
        .satisfies(outcome -> {
          assertThat(outcome.stdout()).isEqualTo("new\n");
          assertThat(outcome.code()).isIn(4, 255);
        });
    assertThat(node.caisson().info().notes()).anyMatch(note -> note.contains("no keeper"));
  }
}
