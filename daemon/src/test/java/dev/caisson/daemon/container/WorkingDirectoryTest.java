package dev.caisson.daemon.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.engine.spec.Mount;
import dev.caisson.engine.spec.Process;
import dev.caisson.engine.spec.Root;
import dev.caisson.engine.spec.Spec;
import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.ExecSettings;
import dev.caisson.library.MountSettings;
import dev.caisson.library.ProcessSettings;
import dev.caisson.linux.DirectoryHandle;
import dev.caisson.oci.ImageConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a root may not lead to: process views in /proc, and mounts through links. */
class WorkingDirectoryTest {
  private static final Rights RIGHTS = new Rights(-1, Map.of(), 0);

  @TempDir Path scratch;

  private Path root() throws IOException {
    return Files.createDirectories(scratch.resolve("root"));
  }

  private Process process(String image, Optional<String> wanted) throws IOException {
    var run =
        new ImageConfig.Run(
            "",
            Map.of(),
            List.of(),
            List.of(),
            List.of("pwd"),
            Map.of(),
            image,
            Map.of(),
            "",
            Map.of());
    var config =
        new ImageConfig(
            Optional.empty(),
            "amd64",
            "linux",
            Optional.of(run),
            new ImageConfig.RootFs("layers", List.of()),
            Map.of());
    var process = ProcessSettings.of();
    var settings =
        ContainerSettings.of("x")
            .withProcess(wanted.map(process::withWorkingDirectory).orElse(process))
            .withMounts(List.of(MountSettings.tmpfs("/mounted")))
            .withHostname("c");
    try (var handle = DirectoryHandle.open(root())) {
      var place =
          new ContainerSpec.Place("0123456789ab", root(), scratch.resolve("files"), "/caisson");
      var spec = ContainerSpec.of(config, settings, place, new RootView(handle), RIGHTS);
      return spec.spec().process().orElseThrow();
    }
  }

  private Process exec(ExecSettings settings) throws IOException {
    try (var handle = DirectoryHandle.open(root())) {
      return ContainerSpec.exec(
          Spec.of(Root.of("rootfs", false))
              .withProcess(Process.of("/", List.of("sh")).withEnv(List.of("HOME=/image")))
              .withMounts(List.of(Mount.of("/mounted", "tmpfs", "tmpfs", List.of()))),
          ProcessSettings.of(),
          settings,
          new RootView(handle),
          RIGHTS);
    }
  }

  @Tag("case-100")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/proc/self/fd/7",
        "/proc/1/fd/8/..",
        "/proc/thread-self/fd/10",
        "/descriptor",
        "/up",
        "/chain/sub",
        "/way/self/cwd",
        "/missing/../descriptor"
      })
  void aDirectoryThatLeadsIntoProcIsRefusedForRunAndExec(String path) throws IOException {
    Files.createDirectories(root().resolve("a/b"));
    Files.createSymbolicLink(root().resolve("descriptor"), Path.of("/proc/self/fd/9"));
    Files.createSymbolicLink(root().resolve("up"), Path.of("a/b/../../../../proc/self/fd/9/.."));
    Files.createSymbolicLink(root().resolve("chain"), Path.of("a/b/next"));
    Files.createSymbolicLink(root().resolve("a/b/next"), Path.of("../../descriptor"));
    Files.createSymbolicLink(root().resolve("way"), Path.of("proc"));

    assertThatThrownBy(() -> process(path, Optional.empty()))
        .isInstanceOf(CaissonException.class)
        .hasMessageContaining(path)
        .hasMessageContaining("/proc");
    assertThatThrownBy(() -> process("", Optional.of(path))).isInstanceOf(CaissonException.class);
    assertThatThrownBy(() -> exec(ExecSettings.of("pwd").withWorkingDirectory(path)))
        .isInstanceOf(CaissonException.class)
        .hasMessageContaining(path);
  }

  @Tag("case-100")
  @ParameterizedTest
  @ValueSource(
      strings = {"/", "/a/b", "/link", "/out/etc", "/made/up", "/mounted/x", "/proc", "/procs"})
  void otherDirectoriesAreLeftAsTheyAre(String path) throws IOException {
    Files.createDirectories(root().resolve("a/b"));
    Files.createSymbolicLink(root().resolve("link"), Path.of("a/b"));
    Files.createSymbolicLink(root().resolve("out"), Path.of("../../../.."));
    Files.writeString(root().resolve("mounted"), "");

    assertThat(process("/", Optional.of(path)).cwd()).isEqualTo(path);
    assertThat(exec(ExecSettings.of("pwd").withWorkingDirectory(path)).cwd()).isEqualTo(path);
  }

  @Tag("case-100")
  @Test
  void linksThatLeadInACircleAreRefused() throws IOException {
    Files.createSymbolicLink(root().resolve("one"), Path.of("two"));
    Files.createSymbolicLink(root().resolve("two"), Path.of("one"));

    assertThatThrownBy(() -> process("/one", Optional.empty()))
        .isInstanceOf(CaissonException.class)
        .hasMessageContaining("links");
  }

  @Tag("case-100")
  @Test
  void anExecNoticesThatTheContainersOwnDirectoryBecameALink() throws IOException {
    Files.createSymbolicLink(root().resolve("app"), Path.of("/proc/self/fd/8"));

    try (var handle = DirectoryHandle.open(root())) {
      var view = new RootView(handle);
      var spec = Spec.of(Root.of("rootfs", false)).withProcess(Process.of("/app", List.of("sh")));
      assertThatThrownBy(() ->
              ContainerSpec.exec(spec, ProcessSettings.of(), ExecSettings.of("pwd"), view, RIGHTS))
          .isInstanceOf(CaissonException.class)
          .hasMessageContaining("/app");
    }
  }

  @Tag("case-93")
  @ParameterizedTest
  @ValueSource(strings = {"/file", "/file/below", "/link"})
  void aFileIsNoDirectory(String path) throws IOException {
    Files.writeString(root().resolve("file"), "");
    Files.createSymbolicLink(root().resolve("link"), Path.of("file"));

    assertThatThrownBy(() -> process("/", Optional.of(path)))
        .isInstanceOf(CaissonException.class)
        .hasMessageContaining("working directory '" + path + "'")
        .hasMessageContaining("is a file");
    assertThatThrownBy(() -> exec(ExecSettings.of("pwd").withWorkingDirectory(path)))
        .hasMessageContaining("is a file");
  }

  @Tag("case-93")
  @Test
  void aRelativeDirectoryIsRefused() {
    assertThatThrownBy(() -> process("/", Optional.of("rel")))
        .isInstanceOf(CaissonException.class)
        .hasMessageContaining("'rel'");
  }

  @Tag("case-102")
  @Tag("case-104")
  @ParameterizedTest
  @ValueSource(strings = {"proc", "sys", "dev"})
  void aRootWhoseSystemDirectoryIsALinkIsRefusedByName(String name) throws IOException {
    Files.createDirectories(root().resolve("evil/one"));
    Files.createSymbolicLink(root().resolve(name), Path.of("evil/one"));

    assertThatThrownBy(() -> process("/", Optional.empty()))
        .isInstanceOf(CaissonException.class)
        .hasMessageContaining("/" + name);
    assertThat(root().resolve("evil/one")).isEmptyDirectory();
  }

  @Tag("case-104")
  @Test
  void linksBelowDevAreCoveredByAMountOfItsOwn() throws IOException {
    Files.createDirectories(root().resolve("dev"));
    Files.createSymbolicLink(root().resolve("dev/pts"), Path.of("/run/example/target"));

    assertThat(process("/", Optional.empty()).cwd()).isEqualTo("/");
  }

  @Tag("case-94")
  @Test
  void anExecsOwnHomeBeatsThatOfItsUser() throws IOException {
    Files.createDirectories(root().resolve("etc"));
    Files.writeString(root().resolve("etc/passwd"), "app:x:1000:1000::/srv/app:/bin/sh\n");
    var asApp = ExecSettings.of("env").withUser("app");

    assertThat(exec(asApp).env()).containsExactly("HOME=/srv/app");
    assertThat(exec(asApp.withEnvironment(List.of("HOME=/given"))).env())
        .containsExactly("HOME=/given");
    assertThat(exec(ExecSettings.of("env")).env()).containsExactly("HOME=/image");
  }
}
