package dev.caisson.daemon.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.caisson.engine.spec.SpecCheck;
import dev.caisson.json.Json;
import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.DeviceSettings;
import dev.caisson.library.ExecSettings;
import dev.caisson.library.Limits;
import dev.caisson.library.MountSettings;
import dev.caisson.library.ProcessSettings;
import dev.caisson.library.SecuritySettings;
import dev.caisson.library.TerminalSize;
import dev.caisson.linux.DirectoryHandle;
import dev.caisson.oci.ImageConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole specifications, compared with kept ones. */
class ContainerSpecTest {
  private static final ImageConfig IMAGE =
      new ImageConfig(
          Optional.empty(),
          "amd64",
          "linux",
          Optional.of(
              new ImageConfig.Run(
                  "app",
                  Map.of(),
                  List.of("PATH=/opt/bin:/bin", "COLOUR=blue"),
                  List.of("/entry"),
                  List.of("serve"),
                  Map.of(),
                  "/srv",
                  Map.of(),
                  "",
                  Map.of())),
          new ImageConfig.RootFs("layers", List.of()),
          Map.of());

  /** A daemon that may do everything but is bounded itself. */
  private static final Rights RIGHTS =
      new Rights(-1, Map.of("nofile", 4096L, "core", -1L, "nproc", -1L), 0);

  @TempDir Path scratch;

  @BeforeEach
  void makeRoot() throws IOException {
    var etc = Files.createDirectories(scratch.resolve("root/etc"));
    Files.writeString(
        etc.resolve("passwd"), "root:x:0:0::/root:/bin/sh\napp:x:1000:1000::/app:/bin/sh\n");
    Files.writeString(etc.resolve("group"), "app:x:1000:\ndisk:x:6:app\n");
  }

  private static ContainerSettings settings(String name) {
    var usual = ContainerSettings.of("x").withHostname("web");
    return switch (name) {
      case "usual" -> usual;
      case "limited" ->
          usual
              .withProcess(
                  ProcessSettings.of("one", "two")
                      .withUser("root")
                      .withGroups(List.of("disk", "4000"))
                      .withEnvironment(List.of("COLOUR", "SIZE=3"))
                      .withTerminal(true)
                      .withTerminalSize(new TerminalSize(97, 41))
                      .withRlimits(
                          List.of(
                              new ProcessSettings.Rlimit("nofile", 100, 200),
                              new ProcessSettings.Rlimit("core", 0, -1)))
                      .withOomScoreAdjust(500))
              .withLimits(
                  Limits.NONE
                      .withMemory(64 << 20)
                      .withMemorySwap(-1)
                      .withMemoryReservation(32 << 20)
                      .withCpus(1_500_000_000)
                      .withCpuShares(1)
                      .withCpusetCpus("0-1")
                      .withCpusetMems("0")
                      .withPids(0)
                      .withIoWeight(300))
              .withMounts(
                  List.of(
                      MountSettings.tmpfs("/run/x/y", "size=1m", "mode=0700"),
                      MountSettings.bind("/usr", "/run/x", "ro", "rslave"),
                      MountSettings.bind("/etc", "/dev/shm")))
              .withDevices(List.of(new DeviceSettings("/dev/null", "/dev/nothing", "rw")))
              .withSysctls(Map.of("net.ipv4.ip_forward", "1"))
              .withAnnotations(Map.of("example.key", "value"))
              .withShmBytes(1 << 20)
              .withSecurity(
                  SecuritySettings.USUAL
                      .withCapabilitiesAdded(List.of("net_admin"))
                      .withCapabilitiesDropped(List.of("CAP_CHOWN"))
                      .withReadonlyRoot(true)
                      .withNoNewPrivileges(true)
                      .withUnmaskedPaths(List.of("/proc/kcore", "/proc/sys"))
                      .withSeccomp("unconfined"));
      case "privileged" -> usual.withSecurity(SecuritySettings.USUAL.withPrivileged(true));
      case "shared" ->
          ContainerSettings.of("x")
              .withNetwork("host")
              .withNamespaces(List.of("pid", "ipc", "uts", "cgroup"))
              .withProcess(ProcessSettings.of().withUser("1234"));
      default -> throw new IllegalArgumentException(name);
    };
  }

  private ContainerSpec spec(ContainerSettings settings) throws IOException {
    return spec(IMAGE, settings);
  }

  private ContainerSpec spec(ImageConfig image, ContainerSettings settings) throws IOException {
    try (var handle = DirectoryHandle.open(scratch.resolve("root"))) {
      return ContainerSpec.of(
          image,
          settings,
          new ContainerSpec.Place(
              "0123456789abcdef",
              scratch.resolve("root"),
              scratch.resolve("files"),
              "/caisson/0123456789abcdef"),
          new RootView(handle),
          RIGHTS);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"usual", "limited", "privileged", "shared"})
  void theWholeSpecificationIsTheKeptOne(String name) throws IOException {
    assumeTrue(
        System.getProperty("os.arch").equals("amd64"),
        "architecture: the kept files name its system calls; run on amd64");

    var made = spec(settings(name));

    assertThat(SpecCheck.of(made.spec())).isEqualTo(new SpecCheck(List.of(), List.of()));
    var kept = made.spec();
    if (name.equals("privileged")) {
      // Which devices it gets is the machine's to say.
      kept = kept.withLinux(kept.linux().orElseThrow().withDevices(List.of()));
    }
    var text = Json.pretty(said(Json.tree(kept))).replace(scratch.toString(), "/scratch");
    if (name.equals("shared")) {
      text = text.replace("HOSTNAME=" + ownName(), "HOSTNAME=web");
    }
    assertThat(text).isEqualTo(resource("config-" + name + ".json"));
  }

  @Test
  void aLaterProcessIsTheFirstOneWithWhatItAsksFor() throws IOException {
    var made = spec(settings("limited"));
    var exec =
        ExecSettings.of("id", "-u")
            .withUser("app")
            .withEnvironment(List.of("SIZE=4"))
            .withWorkingDirectory("/tmp");
    try (var handle = DirectoryHandle.open(scratch.resolve("root"))) {
      var process =
          ContainerSpec.exec(made.spec(), ProcessSettings.of(), exec, new RootView(handle), RIGHTS);

      assertThat(Json.pretty(said(Json.tree(process)))).isEqualTo(resource("process-exec.json"));
    }
  }

  @Test
  void settingsThatCannotWorkAreRefusedByTheFieldTheyBecome() {
    var usual = settings("usual");
    var bad =
        Map.of(
            "options[2]: found 'size=64 MB'",
            usual.withMounts(List.of(MountSettings.tmpfs("/x", "size=64 MB"))),
            "process.args[1]: found 'a\\0b'",
            usual.withProcess(ProcessSettings.of("a\0b")),
            "annotations: found an empty name",
            usual.withAnnotations(Map.of("", "x")));

    bad.forEach((problem, settings) ->
        assertThatThrownBy(() -> spec(settings))
            .isInstanceOf(CaissonException.class)
            .hasMessageContaining(problem));
  }

  @Test
  void whatIsOddAboutSettingsIsAWarning() throws IOException {
    var odd = MountSettings.bind("/usr", "/x", "read-only");

    assertThat(spec(settings("usual").withMounts(List.of(odd))).warnings())
        .singleElement()
        .asString()
        .contains("'read-only' means nothing for a bind");
  }

  @Tag("case-78")
  @Tag("case-111")
  @Test
  void volumesOfAnImageStayInItsRootWhateverTheyAreCalled() throws IOException {
    var usual = spec(settings("usual"));
    var run = IMAGE.run();
    var names =
        List.of("['/srv/one',", "'/srv/two']", "/data/", "/", "", "rel/dir", "/../../../run/x");
    var volumes = new LinkedHashMap<String, Object>();
    names.forEach(name -> volumes.put(name, Map.of()));
    var image =
        new ImageConfig(
            Optional.empty(),
            "amd64",
            "linux",
            Optional.of(
                new ImageConfig.Run(
                    run.user(),
                    Map.of(),
                    run.env(),
                    run.entrypoint(),
                    run.cmd(),
                    volumes,
                    run.workingDir(),
                    Map.of(),
                    "",
                    Map.of())),
            IMAGE.rootfs(),
            Map.of());

    assertThat(spec(image, settings("usual")).spec()).isEqualTo(usual.spec());
  }

  private static String ownName() throws IOException {
    return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
  }

  private static String resource(String name) throws IOException {
    try (var in = Objects.requireNonNull(ContainerSpecTest.class.getResourceAsStream(name), name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Without what says nothing: empty lists and objects. */
  private static Object said(Object value) {
    if (value instanceof Map<?, ?> map) {
      var kept = new TreeMap<String, Object>();
      map.forEach((key, inner) -> {
        if (!(inner instanceof Map<?, ?> m && m.isEmpty())
            && !(inner instanceof List<?> l && l.isEmpty())) {
          kept.put((String) key, said(inner));
        }
      });
      return kept;
    }
    if (value instanceof List<?> list) {
      var kept = new ArrayList<Object>();
      list.forEach(inner -> kept.add(said(inner)));
      return kept;
    }
    return value;
  }
}
