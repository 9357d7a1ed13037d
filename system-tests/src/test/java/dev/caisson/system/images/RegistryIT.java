package dev.caisson.system.images;

import static dev.caisson.system.TestNode.BUSYBOX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.Images.PullSettings;
import dev.caisson.library.Images.PushSettings;
import dev.caisson.library.Reason;
import dev.caisson.library.TransferProgress;
import dev.caisson.system.Installed;
import dev.caisson.system.Ran;
import dev.caisson.system.TestNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Images that go to a real registry and come from it. */
@Tag("root")
@Timeout(180)
class RegistryIT {
  private static final int BIG = 8 << 20;
  private static final int PART = 3 << 20;

  @TempDir Path temporary;
  private TestNode node;

  @BeforeEach
  void open() {
    node = TestNode.open();
  }

  @AfterEach
  void close() {
    node.close();
  }

  private Ran caisson(Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    var whole = new HashMap<>(environment);
    whole.put("PATH", System.getenv("PATH"));
    whole.putIfAbsent("HOME", temporary.toString());
    whole.put("CAISSON_ROOT", node.directory().toString());
    var command = new ArrayList<>(List.of(Installed.program("caisson").toString()));
    command.addAll(List.of(arguments));
    return Ran.of(whole, command);
  }

  private static Ran skopeo(String... arguments) throws IOException, InterruptedException {
    var command = new ArrayList<>(List.of("skopeo"));
    command.addAll(List.of(arguments));
    return Ran.of(Map.of("PATH", System.getenv("PATH")), command);
  }

  private void pull(String name) {
    node.caisson().images().pull(PullSettings.of(name), _ -> {});
  }

  private void assertThatBigIsWhole(String name) {
    assertThat(node.run(ContainerSettings.of(name, "sh", "-c", "wc -c < /big")).stdout().strip())
        .isEqualTo(String.valueOf(BIG));
  }

  @Test
  void anImagePushedHereRunsThereAndIsTheSameForOtherTools() throws Exception {
    try (var registry = LocalRegistry.open();
        var other = TestNode.open()) {
      node.run("true");
      String name = registry.host() + "/team/box:1";
      node.caisson().images().tag(BUSYBOX, name);

      String digest = node.caisson().images().push(new PushSettings(name, false), _ -> {});
      var pulled = other.caisson().images().pull(PullSettings.of(name), _ -> {});

      assertThat(pulled.digest()).isEqualTo(digest);
      assertThat(other.run(ContainerSettings.of(name, "echo", "from there")).stdout())
          .isEqualTo("from there\n");
      assertThat(
              skopeo("inspect", "--tls-verify=false", "--format={{.Digest}}", "docker://" + name)
                  .out()
                  .strip())
          .isEqualTo(digest);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "zstd"})
  void imagesThatOtherToolsPackedRun(String compression) throws Exception {
    try (var registry = LocalRegistry.open()) {
      String name = registry.host() + "/big:1";
      LayoutOnDisk.write(temporary, BIG).send(name, "--dest-compress-format=" + compression);

      pull(name);

      assertThatBigIsWhole(name);
    }
  }

  @Test
  void runGetsAnImageThatIsNotHereAndShowsItsComing() throws Exception {
    try (var registry = LocalRegistry.open()) {
      String name = registry.host() + "/big:1";
      LayoutOnDisk.write(temporary, BIG).send(name);

      var ran = caisson(Map.of(), "run", "--rm", name, "sh", "-c", "exit 7");
      var again =
          caisson(Map.of(), "run", "--rm", "--pull=always", "-q", name, "sh", "-c", "exit 8");

      assertThat(ran.status()).isEqualTo(7);
      assertThat(ran.err()).contains(": done");
      assertThat(again.status()).isEqualTo(8);
      assertThat(again.err()).isEmpty();
    }
  }

  @Test
  void theLoginsOfDockerAreUsed() throws Exception {
    try (var registry = LocalRegistry.withLogin()) {
      node.run("true");
      String name = registry.host() + "/private:1";
      node.caisson().images().tag(BUSYBOX, name);
      Files.writeString(
          Files.createDirectory(temporary.resolve("docker")).resolve("config.json"),
          "{\"auths\":{\"%s\":{\"auth\":\"%s\"}}}"
              .formatted(
                  registry.host(),
                  Base64.getEncoder()
                      .encodeToString(
                          (LocalRegistry.USER + ":" + LocalRegistry.PASSWORD)
                              .getBytes(StandardCharsets.UTF_8))));
      var known = Map.of("DOCKER_CONFIG", temporary.resolve("docker").toString());

      var stranger = caisson(Map.of(), "push", name);
      var pushed = caisson(known, "push", name);
      var pulled = caisson(known, "pull", name);
      var strangerAgain = caisson(Map.of(), "pull", name);

      assertThat(stranger.status()).isEqualTo(1);
      assertThat(stranger.err())
          .contains("push '" + name + "'", "wants a login")
          .doesNotContain(LocalRegistry.PASSWORD);
      assertThat(pushed.err() + pushed.status()).endsWith("0");
      assertThat(pulled.err() + pulled.status()).endsWith("0");
      assertThat(strangerAgain.status()).isEqualTo(1);
    }
  }

  @Test
  @Tag("case-22")
  void connectionsThatBreakAreGoneOnWithAtTheLastByte() throws Exception {
    try (var registry = LocalRegistry.open();
        var way = Bottleneck.to(registry.port(), PART, Bottleneck.Then.BREAK)) {
      var image = LayoutOnDisk.write(temporary, BIG);
      image.send(registry.host() + "/big:1", "--dest-compress=false");
      var told = Collections.synchronizedList(new ArrayList<TransferProgress>());

      node.caisson().images().pull(PullSettings.of(way.host() + "/big:1"), told::add);

      assertThatBigIsWhole(way.host() + "/big:1");
      assertThat(told).anyMatch(each -> each.phase() == TransferProgress.Phase.NOTICE);
      assertThat(way.passed()).isLessThan(image.layerBytes() + PART);
    }
  }

  @Test
  void whatADaemonHadGotWhenItWasKilledIsUsedByTheNext() throws Exception {
    try (var registry = LocalRegistry.open();
        var way = Bottleneck.to(registry.port(), PART, Bottleneck.Then.HOLD)) {
      var image = LayoutOnDisk.write(temporary, BIG);
      image.send(registry.host() + "/big:1", "--dest-compress=false");
      String name = way.host() + "/big:1";
      var first =
          CompletableFuture.runAsync(() -> pull(name), task -> Thread.ofPlatform().start(task));
      way.full().get(60, TimeUnit.SECONDS);
      awaitPartial(PART / 2);

      ProcessHandle.of(node.daemonPid()).orElseThrow().destroyForcibly();
      assertThat(first.handle((_, failure) -> failure).get(60, TimeUnit.SECONDS)).isNotNull();
      way.widen();
      pull(name);

      assertThatBigIsWhole(name);
      assertThat(way.passed()).isLessThan(image.layerBytes() + PART);
    }
  }

  private void awaitPartial(long bytes) throws IOException {
    var partial = node.directory().resolve("content/partial");
    while (true) {
      try (var files = Files.list(partial)) {
        if (files.anyMatch(file -> file.toFile().length() >= bytes)) {
          return;
        }
      }
      Thread.onSpinWait();
    }
  }

  @Test
  void aClientThatGoesAwayEndsItsPull() throws Exception {
    try (var registry = LocalRegistry.open();
        var way = Bottleneck.to(registry.port(), PART, Bottleneck.Then.HOLD)) {
      LayoutOnDisk.write(temporary, BIG).send(registry.host() + "/big:1", "--dest-compress=false");
      var builder =
          new ProcessBuilder(
                  Installed.program("caisson").toString(), "pull", "-q", way.host() + "/big:1")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD);
      builder.environment().put("CAISSON_ROOT", node.directory().toString());
      var client = builder.start();
      way.full().get(60, TimeUnit.SECONDS);

      client.destroyForcibly().waitFor();

      way.abandoned().get(60, TimeUnit.SECONDS);
      assertThat(node.caisson().images().list()).isEmpty();
    }
  }

  @Test
  void aRegistryThatIsDownIsToldAtOnceAndLeavesNothing() throws Exception {
    String host;
    try (var registry = LocalRegistry.open()) {
      host = registry.host();
    }

    var failure = catchThrowableOfType(CaissonException.class, () -> pull(host + "/app:1"));

    assertThat(failure.reason()).isEqualTo(Reason.UNAVAILABLE);
    assertThat(failure).hasMessageContaining("pull '" + host + "/app:1'");
    assertThat(node.directory().resolve("content/partial")).isEmptyDirectory();
    assertThat(node.directory().resolve("content/leases")).isEmptyDirectory();
  }
}
