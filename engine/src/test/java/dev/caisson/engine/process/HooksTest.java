package dev.caisson.engine.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.engine.spec.Hook;
import dev.caisson.engine.spec.Hooks;
import dev.caisson.engine.spec.Mount;
import dev.caisson.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hooks of a specification are run where they belong, with the state on their standard input. */
@Tag("root")
class HooksTest {
  private final String parent = "/caisson-test-" + UUID.randomUUID();

  @TempDir Path directory;

  private Path seen;

  @BeforeEach
  void makeDirectory() throws IOException {
    seen = Files.createDirectory(directory.resolve("seen"));
  }

  /** Writes its name to a list and the state to a file of its own. */
  private List<Hook> hook(String name, String shell, Path place) {
    var script = "echo %s >> %s/order; cat > %s/%s.json".formatted(name, place, place, name);
    var args =
        shell.endsWith("busybox")
            ? List.of("busybox", "sh", "-c", script)
            : List.of("sh", "-c", script);
    return List.of(new Hook(shell, args, List.of("PATH=/bin:/usr/bin"), Optional.of(30), Map.of()));
  }

  private Hooks hooks() {
    return new Hooks(
        List.of(),
        hook("createRuntime", "/bin/sh", seen),
        hook("createContainer", "/bin/sh", seen),
        hook("startContainer", "/bin/busybox", Path.of("/seen")),
        hook("poststart", "/bin/sh", seen),
        hook("poststop", "/bin/sh", seen),
        Map.of());
  }

  private List<String> order() throws IOException {
    return Files.readAllLines(seen.resolve("order"));
  }

  private Map<?, ?> state(String name) {
    return (Map<?, ?>) Json.read(seen.resolve(name + ".json"), Object.class);
  }

  @Test
  void hooksAreRunInTheOrderOfTheContainersLife() throws Exception {
    try (var engine = new RealEngine(directory.resolve("run"), parent)) {
      var task =
          engine.create(
              "web",
              spec -> {
                var mounts = new ArrayList<>(spec.mounts());
                mounts.add(Mount.of("/seen", "bind", seen.toString(), List.of("bind")));
                return spec.withMounts(mounts).withHooks(hooks());
              },
              "/bin/busybox",
              "sh",
              "-c",
              "echo program >> /seen/order; until [ -e /seen/end ]; do usleep 50000; done");
      // Some low-level runtimes run poststart here already.
      assertThat(order()).startsWith("createRuntime", "createContainer").doesNotContain("program");
      assertThat(state("createRuntime"))
          .satisfies(state -> {
            assertThat(state.get("id")).isEqualTo("web");
            assertThat(state.get("pid")).isEqualTo((long) task.pid(Optional.empty()));
            assertThat(state.get("bundle")).isEqualTo(task.plan().bundle().toString());
          });

      task.start();

      assertThat(order()).contains("poststart").doesNotContain("poststop");
      Files.createFile(seen.resolve("end"));
      task.ended(Optional.empty()).orTimeout(60, TimeUnit.SECONDS).join();
      assertThat(order())
          .hasSize(5)
          .containsSubsequence("createContainer", "startContainer", "program")
          .containsSubsequence("createContainer", "poststart");
      engine.pods.delete(task.id());

      assertThat(order()).hasSize(6).endsWith("poststop");
      assertThat(state("poststop").get("status")).isEqualTo("stopped");
    }
  }
}
