package dev.caisson.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.library.ContainerSettings;
import dev.caisson.library.ContainerSettings.HostEntry;
import dev.caisson.library.DeviceSettings;
import dev.caisson.library.DnsSettings;
import dev.caisson.library.Limits;
import dev.caisson.library.Limits.DeviceRate;
import dev.caisson.library.Limits.RateKind;
import dev.caisson.library.LogKeeping;
import dev.caisson.library.MountSettings;
import dev.caisson.library.ProcessSettings.Rlimit;
import dev.caisson.library.SecuritySettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunSettingsTest {
  private final FakeMachine machine = new FakeMachine();

  private ContainerSettings create(String... options) {
    var line = new ArrayList<>(List.of("create"));
    line.addAll(List.of(options));
    line.addAll(List.of("busybox", "sh", "-c", "exit 3"));
    int code = machine.run(line.toArray(String[]::new));
    assertThat(code).as(machine.errors()).isZero();
    return machine.node.created.getLast();
  }

  @Test
  void withoutOptionsTheSettingsAreTheUsualOnes() {
    assertThat(create()).isEqualTo(ContainerSettings.of("busybox", "sh", "-c", "exit 3"));
  }

  @Test
  void optionsOfTheProcessAreTaken() {
    machine.variables.put("HOME", "/h");

    var process =
        create(
                "-it",
                "-e",
                "A=1",
                "--env=B=2=3",
                "-e",
                "HOME",
                "-e",
                "GONE",
                "-w/w",
                "-u",
                "1:2",
                "--group-add",
                "audio",
                "--group-add=7",
                "--ulimit",
                "nofile=10:20",
                "--ulimit",
                "core=unlimited",
                "--oom-score-adj",
                "-5",
                "--entrypoint",
                "/e")
            .process();

    assertThat(process.terminal()).isTrue();
    assertThat(process.stdin()).isTrue();
    assertThat(process.environment()).containsExactly("A=1", "B=2=3", "HOME=/h", "GONE");
    assertThat(process.workingDirectory()).contains("/w");
    assertThat(process.user()).contains("1:2");
    assertThat(process.groups()).containsExactly("audio", "7");
    assertThat(process.rlimits())
        .containsExactly(new Rlimit("nofile", 10, 20), new Rlimit("core", -1, -1));
    assertThat(process.oomScoreAdjust()).contains(-5);
    assertThat(process.entrypoint()).contains(List.of("/e"));
    assertThat(process.command()).containsExactly("sh", "-c", "exit 3");
  }

  @Test
  void anEmptyEntrypointClearsTheImages() {
    assertThat(create("--entrypoint", "").process().entrypoint()).contains(List.of());
  }

  @Test
  void limitsAreTaken() {
    var limits =
        create(
                "-m",
                "64m",
                "--memory-swap=-1",
                "--memory-reservation",
                "1.5k",
                "--cpus",
                "1.5",
                "-c",
                "512",
                "--cpuset-cpus",
                "0-1",
                "--cpuset-mems=0",
                "--pids-limit",
                "20",
                "--blkio-weight",
                "100",
                "--device-read-bps",
                "/dev/sda:1m",
                "--device-write-bps=/dev/sda:2m",
                "--device-read-iops",
                "/dev/sda:3",
                "--device-write-iops",
                "/dev/sda:4")
            .limits();

    assertThat(limits)
        .isEqualTo(
            new Limits(
                Optional.of(64L << 20),
                Optional.of(-1L),
                Optional.of(1536L),
                Optional.of(1_500_000_000L),
                Optional.of(512L),
                Optional.empty(),
                Optional.empty(),
                Optional.of("0-1"),
                Optional.of("0"),
                Optional.of(20L),
                Optional.of(100),
                List.of(
                    new DeviceRate("/dev/sda", RateKind.READ_BYTES, 1 << 20),
                    new DeviceRate("/dev/sda", RateKind.WRITE_BYTES, 2 << 20),
                    new DeviceRate("/dev/sda", RateKind.READ_OPERATIONS, 3),
                    new DeviceRate("/dev/sda", RateKind.WRITE_OPERATIONS, 4))));
  }

  @Test
  void quotaAndPeriodAreTaken() {
    var limits = create("--cpu-period", "1000", "--cpu-quota=-1").limits();

    assertThat(limits.cpuPeriod()).contains(1000L);
    assertThat(limits.cpuQuota()).contains(-1L);
  }

  @Test
  void securityIsTaken() {
    var security =
        create(
                "--cap-add",
                "NET_ADMIN",
                "--cap-drop=ALL",
                "--privileged",
                "--read-only",
                "--security-opt",
                "no-new-privileges",
                "--security-opt",
                "seccomp=unconfined",
                "--security-opt",
                "unmask=/proc/acpi:/sys/firmware",
                "--security-opt",
                "systempaths=unconfined",
                "--security-opt",
                "apparmor=unconfined")
            .security();

    assertThat(security)
        .isEqualTo(
            new SecuritySettings(
                List.of("NET_ADMIN"),
                List.of("ALL"),
                true,
                true,
                true,
                Optional.of("unconfined"),
                List.of("/proc/acpi", "/sys/firmware", "ALL")));
  }

  @Test
  void namesAddressesAndNamespacesAreTaken() {
    var settings =
        create(
            "--name",
            "web",
            "-h",
            "box",
            "--add-host",
            "a:1.2.3.4",
            "--add-host=b=[::1]",
            "--dns",
            "9.9.9.9",
            "--dns-search",
            "example.org",
            "--dns-opt",
            "ndots:2",
            "--net",
            "host",
            "--pid",
            "host",
            "--ipc=host",
            "--uts",
            "host",
            "--cgroupns",
            "private");

    assertThat(settings.name()).contains("web");
    assertThat(settings.hostname()).contains("box");
    assertThat(settings.hosts())
        .containsExactly(new HostEntry("a", "1.2.3.4"), new HostEntry("b", "::1"));
    assertThat(settings.dns())
        .isEqualTo(new DnsSettings(List.of("9.9.9.9"), List.of("example.org"), List.of("ndots:2")));
    assertThat(settings.network()).isEqualTo("host");
    assertThat(settings.namespaces()).containsExactly("pid", "ipc", "uts");
  }

  @Test
  void mountsAndDevicesAreTaken() {
    var settings =
        create(
            "-v",
            "/a:/b:ro",
            "--mount",
            "type=tmpfs,dst=/t",
            "--tmpfs",
            "/u:size=1m",
            "--shm-size",
            "1m",
            "--device",
            "/dev/fuse",
            "--device=/dev/sda:/dev/xvda:r");

    assertThat(settings.mounts())
        .containsExactly(
            new MountSettings(MountSettings.Kind.BIND, "/a", "/b", List.of("ro"), true),
            MountSettings.tmpfs("/t"),
            MountSettings.tmpfs("/u", "size=1m"));
    assertThat(settings.shmBytes()).contains(1L << 20);
    assertThat(settings.devices())
        .containsExactly(
            new DeviceSettings("/dev/fuse", "/dev/fuse", "rwm"),
            new DeviceSettings("/dev/sda", "/dev/xvda", "r"));
  }

  @Test
  void theRestIsTaken(@TempDir Path folder) throws Exception {
    var labels = Files.writeString(folder.resolve("labels"), "# none\n\nfrom=file\nl=0\n");
    var id = folder.resolve("id");

    var settings =
        create(
            "-l",
            "l=1",
            "--label-file",
            labels.toString(),
            "--annotation",
            "x=y",
            "--sysctl",
            "net.ipv4.ip_forward=1",
            "--log-opt",
            "max-size=1m",
            "--log-opt",
            "max-file=2",
            "--runtime",
            "runc",
            "--init",
            "--stop-signal",
            "USR1",
            "--stop-timeout",
            "3",
            "--platform",
            "linux/arm64",
            "--rm",
            "--cidfile",
            id.toString(),
            "--pull=never");

    assertThat(settings.labels()).isEqualTo(Map.of("l", "1", "from", "file"));
    assertThat(settings.annotations()).isEqualTo(Map.of("x", "y"));
    assertThat(settings.sysctls()).isEqualTo(Map.of("net.ipv4.ip_forward", "1"));
    assertThat(settings.log()).isEqualTo(new LogKeeping(true, 1 << 20, 2));
    assertThat(settings.runtime()).isEqualTo("runc");
    assertThat(settings.init()).isTrue();
    assertThat(settings.stopSignal()).contains("USR1");
    assertThat(settings.stopGrace()).contains(Duration.ofSeconds(3));
    assertThat(settings.platform()).contains("linux/arm64");
    assertThat(settings.removeAtEnd()).isTrue();
    assertThat(id).hasContent(FakeNode.ID);
  }

  @Test
  void aLogDriverOfNoneKeepsNothing() {
    assertThat(create("--log-driver", "none").log()).isEqualTo(LogKeeping.NOTHING);
  }

  @Test
  void variablesOfAFileComeBeforeThoseOfTheCommandLine(@TempDir Path folder) throws Exception {
    var file = Files.writeString(folder.resolve("env"), "#c\nA=file\nHOME\nABSENT\n");
    machine.variables.put("HOME", "/h");

    var process = create("-e", "A=line", "--env-file", file.toString()).process();

    assertThat(process.environment()).containsExactly("A=file", "HOME=/h", "A=line");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--memory=lots",
        "--cpus=x",
        "--ulimit=nofile",
        "--security-opt=weird",
        "--network=bridge",
        "--pid=container:a",
        "--device=fuse",
        "--add-host=a",
        "--log-driver=syslog",
        "--log-opt=mode=x",
        "--log-opt=max-size=1",
        "--pull=sometimes",
        "--volume=/b",
        "--env==x",
        "--label==x",
        "--sysctl=x",
        "--pids-limit=many",
        "--env-file=/no/such",
        "--blkio-weight=99999999999",
        "--nonsense",
        "--init=perhaps"
      })
  void whatCannotBeIsRefusedBeforeAnythingIsDone(String option) {
    int code = machine.run("run", option, "busybox");

    assertThat(code).isEqualTo(125);
    assertThat(machine.errors()).startsWith("caisson: ").contains("see 'caisson run --help'");
    assertThat(machine.connected).isFalse();
  }
}
