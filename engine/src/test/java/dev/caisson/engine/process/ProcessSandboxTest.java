package dev.caisson.engine.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.engine.PodException;
import dev.caisson.engine.Reason;
import dev.caisson.engine.TaskId;
import dev.caisson.linux.CgroupMounts;
import dev.caisson.linux.ProcessIdentity;
import dev.caisson.linux.Signal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks of real processes, looked at through the kernel. */
@Tag("root")
class ProcessSandboxTest {
  private final String parent = "/caisson-test-" + UUID.randomUUID();

  @TempDir Path directory;

  @AfterEach
  void nothingIsLeft() throws IOException {
    assertThat(CgroupMounts.detect().group(parent).exists()).isFalse();
  }

  private RealEngine engine(String name) throws IOException {
    return new RealEngine(directory.resolve(name), parent);
  }

  @Test
  void aTaskIsInItsCgroupAndLeavesNothing() throws Exception {
    try (var engine = engine("a")) {
      var task = engine.sleeper("web");
      assertThat(engine.cgroup(task).allProcesses()).hasSize(1);
      task.start();
      var init = ProcessIdentity.of(task.pid(Optional.empty())).orElseThrow();

      assertThat(task.processes()).containsExactly(init.pid());
      assertThat(task.usage().pids()).isEqualTo(1);
      assertThat(task.usage().memoryBytes()).isPositive();
      assertThat(task.usage().cpuNanos()).isPositive();
      engine.remove(task);

      assertThat(init.isAlive()).isFalse();
      assertThat(engine.cgroup(task).exists()).isFalse();
    }
  }

  @Test
  void aFrozenTaskDiesOfAKillToItsInit() throws Exception {
    try (var engine = engine("a")) {
      var task = engine.sleeper("web");
      task.start();
      task.pause();
      assertThat(engine.cgroup(task).isFrozen()).isTrue();

      task.kill(Optional.empty(), Signal.KILL);

      task.ended(Optional.empty()).get(60, TimeUnit.SECONDS);
      engine.pods.delete(task.id());
    }
  }

  @Tag("pod-42")
  @Test
  void aTaskThatCannotBeMadeLeavesNeitherCgroupNorRecord() throws Exception {
    try (var engine = engine("a")) {
      assertThatThrownBy(() -> engine.create("web", "/no/such"))
          .isInstanceOfSatisfying(
              PodException.class,
              failure -> assertThat(failure.reason()).isEqualTo(Reason.PROGRAM_NOT_FOUND));

      assertThat(CgroupMounts.detect().group(parent).exists()).isFalse();
      assertThat(engine.pods.find(new TaskId("web"))).isEmpty();
      var task = engine.sleeper("web");
      assertThat(task.processes()).hasSize(1);
    }
  }

  @Tag("pod-19")
  @Test
  void aBundleWithoutItsConfigurationIsRefusedAndTheIdStaysFree() throws Exception {
    try (var engine = engine("a")) {
      var task = engine.sleeper("web");
      engine.remove(task);
      Files.delete(task.plan().bundle().resolve("config.json"));

      assertThatThrownBy(() -> engine.pods.create(task.plan()))
          .isInstanceOf(PodException.class)
          .hasMessageContaining("config.json");

      assertThat(engine.sleeper("web").processes()).hasSize(1);
    }
  }

  @Test
  void theCgroupIsThereBeforeTheRuntimeWouldMakeIt() throws Exception {
    var mounts = CgroupMounts.detect();
    var wanted = mounts.hierarchies().stream().map(h -> h.mountPoint() + parent + "/web").toList();
    var seen = directory.resolve("seen");
    var script = directory.resolve("runtime");
    Files.writeString(
        script,
        """
        #!/bin/sh
        [ -e %1$s ] || ls -d %2$s > %1$s
        exec %3$s "$@"
        """
            .formatted(seen, String.join(" ", wanted), LowLevelRuntimes.detect().choose("auto")));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    try (var engine = new RealEngine(directory.resolve("a"), parent, Optional.of(script))) {
      engine.sleeper("web");

      assertThat(Files.readAllLines(seen)).containsExactlyInAnyOrderElementsOf(wanted);
    }
  }

  @Test
  void twoDaemonsShareTheParentOfTheirCgroups() throws Exception {
    try (var one = engine("one");
        var two = engine("two");
        var threads = Executors.newFixedThreadPool(4)) {
      var results = new ArrayList<Future<Integer>>();
      for (int i = 0; i < 4; i++) {
        var engine = i % 2 == 0 ? one : two;
        var id = "task" + i;
        results.add(
            threads.submit(() -> {
              int done = 0;
              for (; done < 6; done++) {
                var task = engine.sleeper(id);
                assertThat(task.processes()).hasSize(1);
                engine.remove(task);
              }
              return done;
            }));
      }
      for (var result : results) {
        assertThat(result.get(120, TimeUnit.SECONDS)).isEqualTo(6);
      }
    }
  }
}
