package dev.caisson.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CgroupTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final List<Process> started = new ArrayList<>();
  private Cgroup group;

  @BeforeEach
  void create() throws IOException {
    group = CgroupMounts.detect().group("/caisson-test-" + UUID.randomUUID());
    group.create();
  }

  @AfterEach
  void remove() throws Exception {
    group.kill(PATIENCE);
    group.remove();
    for (Process process : started) {
      process.destroyForcibly().waitFor();
    }
    assertThat(group.exists()).isFalse();
  }

  @Test
  void aProcessIsInTheGroupItWasPutInto() throws IOException {
    var process = start("sleep", "1000");

    group.add(process.pid());

    assertThat(group.processes()).containsExactly(process.pid());
    assertThat(Files.readString(Path.of("/proc/" + process.pid() + "/cgroup")))
        .contains(group.path());
  }

  @Test
  void killingReachesProcessesThatKeepForkingInGroupsBelow() throws Exception {
    var child = group.child("below");
    child.create();
    var process = start("sh", "-c", "read start; while :; do sleep 0.01 & (sleep 0.02 &) ; done");
    child.add(process.pid());
    try (var input = process.getOutputStream()) {
      input.write('\n');
    }
    assertThat(group.processes()).isEmpty();
    assertThat(group.allProcesses()).contains(process.pid());

    group.kill(PATIENCE);

    assertThat(process.waitFor()).isEqualTo(128 + 9);
    assertThat(group.allProcesses()).isEmpty();
  }

  @Test
  void aFrozenProcessDiesOfAKill() throws Exception {
    var process = start("sleep", "1000");
    group.add(process.pid());

    group.freeze();
    assertThat(group.isFrozen()).isTrue();
    group.kill(PATIENCE);

    assertThat(process.waitFor()).isEqualTo(128 + 9);
    assertThat(group.isFrozen()).isFalse();
  }

  @Test
  void aFrozenProcessGoesOnAfterTheThaw() throws Exception {
    var process = start("cat");
    group.add(process.pid());
    group.freeze();
    process.getOutputStream().write("word\n".getBytes(StandardCharsets.US_ASCII));
    process.getOutputStream().flush();
    assertThat(process.getInputStream().available()).isZero();

    group.thaw();

    assertThat(process.inputReader().readLine()).isEqualTo("word");
  }

  @Test
  void removingAGroupWithProcessesNamesThem() throws IOException {
    var process = start("sleep", "1000");
    group.add(process.pid());

    assertThatThrownBy(group::remove).hasMessageContaining(Long.toString(process.pid()));
  }

  @Test
  void errorsNameTheFileAndTheValue() {
    var file = group.file("pids", "pids.max").orElseThrow();

    assertThatThrownBy(() -> file.write("many"))
        .hasMessageContaining("write 'many' to '" + file.path() + "'")
        .hasMessageContaining("EINVAL");
    assertThatThrownBy(() -> new ControlFile(file.path().resolveSibling("no.such.file")).read())
        .hasMessageContaining("no.such.file");
  }

  @Test
  void valuesAreWrittenAndRead() throws IOException {
    var file = group.file("pids", "pids.max").orElseThrow();

    file.write("77");

    assertThat(file.read()).isEqualTo("77");
    assertThat(new ControlFile(Path.of("/no/such/file")).find()).isEmpty();
  }

  @Test
  void aPathThatLeavesTheTreeIsRefused() throws IOException {
    var mounts = CgroupMounts.detect();

    assertThatThrownBy(() -> mounts.group("/a/../../b"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> mounts.group("a")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aGroupIsRemovedOnlyWhereItIsEmpty() throws IOException {
    var child = group.child("below");
    child.create();

    group.removeIfEmpty();
    assertThat(child.directories()).hasSameSizeAs(group.directories());

    Files.delete(child.directory("pids").orElseThrow());
    group.removeIfEmpty();
    assertThat(group.directory("pids").orElseThrow()).doesNotExist();
    assertThat(group.directory("memory").orElseThrow()).isDirectory();
    child.remove();
    group.removeIfEmpty();
    assertThat(group.exists()).isFalse();
  }

  @Test
  void theGroupAboveIsTheOneInWhosePathItLies() {
    assertThat(group.child("below").parent().map(Cgroup::path)).contains(group.path());
    assertThat(group.parent().map(Cgroup::path)).contains("/");
    assertThat(group.parent().flatMap(Cgroup::parent)).isEmpty();
  }

  @Test
  void groupsAreMadeWhileOthersRemoveTheEmptyOneAbove() throws Exception {
    try (var threads = Executors.newFixedThreadPool(3)) {
      var results = new ArrayList<Future<Boolean>>();
      for (int i = 0; i < 3; i++) {
        var own = group.child("own" + i);
        results.add(
            threads.submit(() -> {
              for (int round = 0; round < 100; round++) {
                own.create();
                assertThat(own.file("cpuset", "cpuset.cpus").orElseThrow().read()).isNotEmpty();
                own.remove();
                group.removeIfEmpty();
              }
              return own.exists();
            }));
      }
      for (var result : results) {
        assertThat(result.get()).isFalse();
      }
    }
  }

  private Process start(String... command) throws IOException {
    var process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    started.add(process);
    return process;
  }
}
