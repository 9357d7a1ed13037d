package dev.caisson.system.containers;

import static dev.caisson.system.TestNode.BUSYBOX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.ContainerState;
import dev.caisson.library.DeviceSettings;
import dev.caisson.library.DnsSettings;
import dev.caisson.library.EventFilter;
import dev.caisson.library.ExecSettings;
import dev.caisson.library.Limits;
import dev.caisson.library.MountSettings;
import dev.caisson.library.NodeEvent;
import dev.caisson.library.ProcessSettings;
import dev.caisson.library.Reason;
import dev.caisson.library.SecuritySettings;
import dev.caisson.linux.DirectoryHandle;
import dev.caisson.system.TestNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What settings and image say about a container, as its processes and the kernel see it. */
@Tag("root")
@Timeout(120)
class SpecificationIT {
  private static final Path DEVICE = Path.of("/dev/loop-control");

  /** Numbers of system calls on amd64, and of errors. */
  private static final int EXIT = 60;

  private static final int GETUID = 102;
  private static final int MOUNT = 165;
  private static final int UNSHARE = 272;
  private static final int CLONE3 = 435;
  private static final int EPERM = 1;
  private static final int ENOSYS = 38;

  private static TestNode node;

  @TempDir Path scratch;

  @BeforeAll
  static void open() {
    node = TestNode.open();
  }

  @AfterAll
  static void close() {
    node.close();
  }

  private static ContainerSettings shell(String script) {
    return ContainerSettings.of(BUSYBOX, "sh", "-c", script);
  }

  private static Reason reason(Callable<?> call) {
    try {
      call.call();
    } catch (CaissonException e) {
      return e.reason();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("it ran");
  }

  // ---- rights ----

  @Test
  void theUsualRightsAreDockersAndMoreIsGivenOnRequestOnly() {
    var status = node.run("grep -E '^(CapBnd|NoNewPrivs|Seccomp):' /proc/self/status").stdout();
    assertThat(status).contains("CapBnd:\t00000000a80425fb", "NoNewPrivs:\t0", "Seccomp:\t2");

    var security =
        SecuritySettings.USUAL
            .withNoNewPrivileges(true)
            .withSeccomp("unconfined")
            .withCapabilitiesDropped(List.of("ALL"))
            .withCapabilitiesAdded(List.of("KILL"));
    var changed =
        node.run(
            shell("grep -E '^(CapBnd|NoNewPrivs|Seccomp):' /proc/self/status")
                .withSecurity(security));
    assertThat(changed.stdout())
        .contains("CapBnd:\t0000000000000020", "NoNewPrivs:\t1", "Seccomp:\t0");
  }

  @Tag("case-115")
  @Test
  void nothingIsInheritableForRunAndExecWhoeverRunsThem() {
    var command = new String[] {"grep", "-E", "Cap(Inh|Eff|Amb)", "/proc/self/status"};
    var none = "CapInh:\t0000000000000000\nCapEff:\t0000000000000000\nCapAmb:\t0000000000000000\n";
    var usual = none.replace("CapEff:\t0000000000000000", "CapEff:\t00000000a80425fb");
    var process = ProcessSettings.of(command);

    assertThat(node.run(ContainerSettings.of(BUSYBOX, command)).stdout()).isEqualTo(usual);
    assertThat(
            node.run(ContainerSettings.of(BUSYBOX).withProcess(process.withUser("1000"))).stdout())
        .isEqualTo(none);
    var id = node.start("sleep 1000");
    assertThat(node.exec(id, command).stdout()).isEqualTo(usual);
    assertThat(node.exec(id, ExecSettings.of(command).withUser("1000")).stdout()).isEqualTo(none);
    node.containers().remove(id, true);
  }

  @Test
  void whatTellsOfTheHostIsMaskedOrCannotBeWritten() {
    assertThat(
            node.run(
                    """
                    wc -c < /proc/timer_list; ls /sys/firmware
                    for f in /proc/sys/kernel/domainname /proc/sysrq-trigger /sys/kernel/profiling; do
                      (echo x > $f) 2>/dev/null && echo wrote $f
                    done; mount -o remount,rw /proc/sys 2>/dev/null && echo remounted; true
                    """)
                .stdout())
        .isEqualTo("0\n");
  }

  @Tag("case-121")
  @Test
  void unknownCallsDoNotExistAndForbiddenOnesAreNotPermitted() throws IOException {
    assumeTrue(
        System.getProperty("os.arch").equals("amd64"),
        "architecture: the program is machine code of amd64; run on amd64");

    assertThat(answer(4_000)).isEqualTo(ENOSYS);
    assertThat(answer(CLONE3)).isEqualTo(ENOSYS);
    assertThat(answer(MOUNT)).isEqualTo(EPERM);
    assertThat(answer(UNSHARE)).isEqualTo(EPERM);
    assertThat(answer(GETUID)).isZero();
  }

  /** The error that a system call without arguments is answered with, as a program sees it. */
  private int answer(int call) throws IOException {
    var program = Files.write(scratch.resolve("call-" + call), program(call));
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    return node.run(
            ContainerSettings.of(BUSYBOX, "/call")
                .withMounts(List.of(MountSettings.bind(program.toString(), "/call", "ro"))))
        .code();
  }

  /** An executable of one segment: the call, and exit with its negated result. */
  private static byte[] program(int call) {
    var file = ByteBuffer.allocate(64 + 56 + 18).order(ByteOrder.LITTLE_ENDIAN);
    long base = 0x400000;
    file.put(new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1}).position(16);
    file.putShort((short) 2).putShort((short) 62).putInt(1).putLong(base + 64 + 56);
    file.putLong(64).putLong(0).putInt(0).putShort((short) 64);
    file.putShort((short) 56).putShort((short) 1).position(64);
    file.putInt(1).putInt(5).putLong(0).putLong(base).putLong(base);
    file.putLong(file.capacity()).putLong(file.capacity()).putLong(0x1000);
    file.put((byte) 0xB8).putInt(call).putShort((short) 0x050F); // mov eax, call; syscall
    file.putShort((short) 0xD8F7).putShort((short) 0xC789); // neg eax; mov edi, eax
    file.put((byte) 0xB8).putInt(EXIT).putShort((short) 0x050F); // mov eax, exit; syscall
    return file.array();
  }

  @Tag("case-100")
  @Test
  void noOtherDescriptorsThanTheThreeStreamsAreOpen() {
    // The fourth is the listing itself.
    assertThat(node.run(ContainerSettings.of(BUSYBOX, "ls", "/proc/self/fd")).stdout())
        .isEqualTo("0\n1\n2\n3\n");
    var id = node.start("sleep 1000");
    assertThat(node.exec(id, "ls", "/proc/self/fd").stdout()).isEqualTo("0\n1\n2\n3\n");
    node.containers().remove(id, true);
  }

  @Test
  void aPrivilegedContainerHasTheHostsDevicesAndTheFilterAskedForOnly() throws IOException {
    assumeDevice();
    var privileged = SecuritySettings.USUAL.withPrivileged(true);
    var profile =
        Files.writeString(
            scratch.resolve("profile.json"),
            """
            {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
              {"names": ["chmod", "fchmod", "fchmodat", "fchmodat2"], "action": "SCMP_ACT_ERRNO",
               "errnoRet": 99}]}
            """);
    var script =
        "stat -c '%t:%T' /dev/loop-control; grep Seccomp: /proc/self/status; chmod 700 /tmp 2>&1";

    assertThat(node.run(shell(script).withSecurity(privileged)).stdout())
        .contains("a:ed\n", "Seccomp:\t0");
    assertThat(
            node.run(shell(script).withSecurity(privileged.withSeccomp(profile.toString())))
                .stdout())
        .contains("a:ed\n", "Seccomp:\t2", "assign requested address");
  }

  @Test
  void aDeviceComesWithItsModeAndNoMoreThanTheAccessAskedFor() throws IOException {
    assumeDevice();
    var mode = Files.getAttribute(DEVICE, "unix:mode") instanceof Integer bits ? bits & 0777 : 0;
    var script = "stat -c '%a %t:%T' /dev/x; : < /dev/x && echo read; (: > /dev/x) || echo refused";

    var outcome =
        node.run(
            shell(script)
                .withDevices(List.of(new DeviceSettings(DEVICE.toString(), "/dev/x", "r"))));

    assertThat(outcome.stdout()).isEqualTo(Integer.toOctalString(mode) + " a:ed\nread\nrefused\n");
    assertThat(outcome.stderr()).contains("/dev/x: Operation not permitted");
  }

  private static void assumeDevice() {
    assumeTrue(
        Files.exists(DEVICE), "devices: there is no " + DEVICE + "; run where modprobe loop works");
  }

  // ---- names and files ----

  @Test
  void namesHostsAndResolversAreThoseAskedFor() {
    var settings =
        shell("hostname; cat /etc/hostname /etc/hosts /etc/resolv.conf; echo x >> /etc/hosts")
            .withHostname("web")
            .withHosts(List.of(new ContainerSettings.HostEntry("db", "192.0.2.7")))
            .withDns(
                new DnsSettings(List.of("192.0.2.53"), List.of("example.test"), List.of("edns0")));

    var outcome = node.run(settings);

    assertThat(outcome.stdout())
        .isEqualTo(
            """
            web
            web
            127.0.0.1\tlocalhost
            ::1\tlocalhost ip6-localhost
            192.0.2.7\tdb
            127.0.0.1\tweb
            search example.test
            options edns0
            nameserver 192.0.2.53
            """);
    assertThat(outcome.code()).isZero();
  }

  @Test
  void mountsHaveTheirOptionsAndCanBeSingleFiles() throws IOException {
    var file = Files.writeString(scratch.resolve("one.txt"), "one");
    Files.createDirectories(scratch.resolve("tree/below"));
    var settings =
        shell(
                """
                cat /etc/one; echo two > /etc/one && echo wrote; echo x > /tree/new && echo wrote
                grep -E ' (/dev/shm|/small) ' /proc/mounts; stat -c %a /small
                """)
            .withShmBytes(1 << 20)
            .withMounts(
                List.of(
                    MountSettings.bind(file.toString(), "/etc/one", "ro"),
                    MountSettings.bind(scratch.resolve("tree").toString(), "/tree", "rslave"),
                    MountSettings.tmpfs("/small", "size=64k", "mode=0710", "noexec")));

    var outcome = node.run(settings);

    assertThat(outcome.stdout())
        .startsWith("onewrote\n")
        .containsPattern("/dev/shm tmpfs rw,nosuid,nodev,noexec,.*size=1024k")
        .containsPattern("/small tmpfs rw,nosuid,nodev,noexec,.*size=64k")
        .endsWith("\n710\n");
    assertThat(outcome.stderr()).contains("/etc/one: Read-only file system");
    assertThat(file).hasContent("one");
    assertThat(scratch.resolve("tree/new")).exists();
  }

  @Test
  void limitsSysctlsAndTheInitProcessAreAsAsked() {
    var settings =
        ContainerSettings.of(BUSYBOX)
            .withProcess(
                ProcessSettings.of("sh", "-c", "ulimit -n; ulimit -Hn; cat /proc/sys/kernel/sem")
                    .withRlimits(List.of(new ProcessSettings.Rlimit("nofile", 64, 128))))
            .withSysctls(Map.of("kernel.sem", "32 1000 100 64"));

    assertThat(node.run(settings).stdout()).isEqualTo("64\n128\n32\t1000\t100\t64\n");
    assertThat(node.run(shell("cat /proc/1/cmdline | tr '\\0' ' '; echo $$").withInit(true)))
        .satisfies(outcome -> {
          assertThat(outcome.stdout()).startsWith("/dev/init -- sh -c ");
          assertThat(outcome.stdout()).doesNotEndWith("\n1\n");
        });
  }

  @Tag("case-68")
  @Test
  void aContainerSeesItsOwnMemoryLimit() {
    var settings =
        shell(
                "cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max"
                    + " 2>/dev/null; true")
            .withLimits(Limits.NONE.withMemory(64 << 20));

    assertThat(node.run(settings).stdout()).isEqualTo((64 << 20) + "\n");
  }

  // ---- users, groups, environment ----

  @Tag("case-91")
  @Test
  void groupsOfTheImagesFilesAreAddedUnlessTheyAreStrict() {
    var files =
        """
        echo 'app:x:1000:1000::/app:/bin/sh' >> /etc/passwd
        printf 'app:x:1000:\\ndisk:x:6:app\\nbad:x:zz:app\\naudio:x:29:other,app' > /etc/group
        sleep 1000
        """;
    var process = ProcessSettings.of("sh", "-c", files).withGroups(List.of("4000"));
    var merged = node.start(ContainerSettings.of(BUSYBOX).withProcess(process));
    var strict =
        node.start(ContainerSettings.of(BUSYBOX).withProcess(process.withStrictGroups(true)));

    assertThat(groups(merged, "app")).isEqualTo("1000 6 29 4000");
    assertThat(groups(merged, "app:disk")).isEqualTo("6 4000");
    assertThat(groups(strict, "app")).isEqualTo("1000 4000");
    node.containers().remove(merged, true);
    node.containers().remove(strict, true);
  }

  private static String groups(String container, String user) {
    awaitFile(container, "/etc/group");
    return node.exec(container, ExecSettings.of("id", "-G").withUser(user)).stdout().strip();
  }

  /** The first program makes it right after its start. */
  private static void awaitFile(String container, String path) {
    var script = "until grep -q audio " + path + " 2>/dev/null; do sleep 0.05; done";
    assertThat(node.exec(container, "sh", "-c", script).code()).isZero();
  }

  @Tag("case-97")
  @Test
  void containersOfOneImageDoNotShareTheirVariables() throws Exception {
    try (var threads = Executors.newFixedThreadPool(8)) {
      var calls =
          IntStream.range(0, 24)
              .<Callable<String>>mapToObj(n ->
                  () ->
                      node.run(
                              ContainerSettings.of(BUSYBOX)
                                  .withProcess(
                                      ProcessSettings.of("sh", "-c", "env | grep ^ID")
                                          .withEnvironment(List.of("ID" + n + "=" + n))))
                          .stdout())
              .toList();
      var outputs = threads.invokeAll(calls);
      for (int n = 0; n < calls.size(); n++) {
        assertThat(outputs.get(n).get()).isEqualTo("ID" + n + "=" + n + "\n");
      }
    }
  }

  // ---- working directory and program ----

  @Tag("case-93")
  @Test
  void aDirectoryThatOnlyOneOfTheTwoUsersMayEnterIsEntered() throws IOException {
    var box = Files.createDirectory(scratch.resolve("box"));
    Files.setPosixFilePermissions(box, PosixFilePermissions.fromString("rwx------"));
    try (var handle = DirectoryHandle.open(box)) {
      handle.chown(65534, 65534);
    }
    var mounts = List.of(MountSettings.bind(box.toString(), "/box"));
    var process = ProcessSettings.of("sh", "-c", "pwd; sleep 1000").withWorkingDirectory("/box");
    var settings = ContainerSettings.of(BUSYBOX).withMounts(mounts);
    var weak = SecuritySettings.USUAL.withCapabilitiesDropped(List.of("ALL"));

    var owners = node.start(settings.withProcess(process.withUser("65534:65534")));
    var roots = node.start(settings.withProcess(process).withSecurity(weak));

    for (var id : List.of(owners, roots)) {
      var exec = ExecSettings.of("pwd").withWorkingDirectory("/box");
      assertThat(node.exec(id, exec).stdout()).isEqualTo("/box\n");
      assertThat(node.exec(id, exec.withUser("0")).stdout()).isEqualTo("/box\n");
      assertThat(node.exec(id, exec.withUser("65534:65534")).stdout()).isEqualTo("/box\n");
      node.containers().remove(id, true);
    }
  }

  @Tag("case-93")
  @Test
  void aMissingDirectoryIsMadeForTheFirstProcessAndRefusedForLaterOnes() {
    var settings =
        ContainerSettings.of(BUSYBOX)
            .withProcess(
                ProcessSettings.of("sh", "-c", "pwd; stat -c '%u:%g %a' . ..")
                    .withUser("1000")
                    .withWorkingDirectory("/made/up"));

    assertThat(node.run(settings).stdout()).isEqualTo("/made/up\n0:0 755\n0:0 755\n");
    assertThat(
            reason(() ->
                node.run(
                    settings.withProcess(
                        ProcessSettings.of("pwd").withWorkingDirectory("/bin/sh")))))
        .isEqualTo(Reason.INVALID);
    var id = node.start("sleep 1000");
    for (var directory : List.of("/no/such", "/bin/sh", "rel")) {
      assertThat(
              reason(() -> node.exec(id, ExecSettings.of("pwd").withWorkingDirectory(directory))))
          .isEqualTo(Reason.INVALID);
    }
    node.containers().remove(id, true);
  }

  @Tag("case-42")
  @Test
  void everyWayNotToRunAProgramIsToldTheSameEveryTime() throws IOException {
    var script = Files.writeString(scratch.resolve("script"), "#!/no/interpreter -x\n");
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    var mounted = List.of(MountSettings.bind(script.toString(), "/script"));
    assertThatThrownBy(() -> node.run(ContainerSettings.of(BUSYBOX, "/script").withMounts(mounted)))
        .hasMessageContaining("'/script' is run by '/no/interpreter', which does not exist")
        .isInstanceOfSatisfying(
            CaissonException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.PROGRAM_NOT_FOUND));
    var id =
        node.start("printf '#!/no/such\\n' > /s; chmod 755 /s; echo audio > /ready; sleep 999");
    awaitFile(id, "/ready");

    for (int i = 0; i < 25; i++) {
      assertThat(reason(() -> node.exec(id, "/no/such"))).isEqualTo(Reason.PROGRAM_NOT_FOUND);
      assertThat(reason(() -> node.exec(id, "/etc"))).isEqualTo(Reason.PROGRAM_NOT_EXECUTABLE);
      assertThat(reason(() -> node.exec(id, "/ready"))).isEqualTo(Reason.PROGRAM_NOT_EXECUTABLE);
      assertThatThrownBy(() -> node.exec(id, "/s"))
          .hasMessageContaining("'/no/such'")
          .isInstanceOfSatisfying(
              CaissonException.class,
              e -> assertThat(e.reason()).isEqualTo(Reason.PROGRAM_NOT_FOUND));
      assertThat(node.exec(id, "sh", "-c", "exit 127").code()).isEqualTo(127);
      assertThat(node.exec(id, "sh", "-c", "kill -9 $$").code()).isEqualTo(137);
    }
    assertThat(node.containers().inspect(id).execs()).isEmpty();
    node.containers().remove(id, true);
  }

  // ---- life ----

  @Tag("case-35")
  @Test
  void everyExecsEndIsToldOnceAndTheFirstProgramsEndLast() throws Exception {
    var since = Instant.now();
    var id = node.start("sleep 1000");
    try (var threads = Executors.newFixedThreadPool(8)) {
      var calls =
          IntStream.range(0, 60)
              .<Callable<Integer>>mapToObj(
                  n -> () -> node.exec(id, "sh", "-c", n % 3 == 0 ? "sleep 1000" : "date").code())
              .toList();
      var running = calls.stream().map(threads::submit).toList();
      running.get(1).get();
      node.containers().kill(id, "KILL", false);
      node.containers().await(id);
      running.forEach(SpecificationIT::ended);
    }
    node.containers().remove(id, false);

    var started = new ArrayList<String>();
    var exited = new ArrayList<String>();
    for (var event : eventsUntilDeletion(id, since)) {
      var exec = event.details().getOrDefault("exec", "");
      switch (event.topic()) {
        case "/tasks/start", "/tasks/exec-started" -> started.add(exec);
        case "/tasks/exit" -> {
          assertThat(started).contains(exec);
          exited.add(exec);
        }
        default -> {}
      }
    }
    assertThat(started).hasSizeGreaterThan(1);
    assertThat(exited).containsExactlyInAnyOrderElementsOf(started).endsWith("");
  }

  /** Some were refused, since the container was gone; the others came to some end. */
  private static void ended(Future<Integer> exec) {
    try {
      assertThat(exec.get()).isNotNegative();
    } catch (ExecutionException e) {
      assertThat(e.getCause()).isInstanceOf(CaissonException.class);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static List<NodeEvent> eventsUntilDeletion(String id, Instant since) {
    var events = new ArrayList<NodeEvent>();
    try {
      node.caisson()
          .events(
              new EventFilter(Optional.of(id), Optional.of(since), Optional.empty()),
              (NodeEvent event) -> {
                events.add(event);
                if (event.topic().equals("/tasks/delete") && !event.details().containsKey("exec")) {
                  throw new Seen();
                }
              });
    } catch (Seen e) {
      return events;
    }
    throw new AssertionError("the events ended before the deletion: " + events);
  }

  private static final class Seen extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  @Tag("case-45")
  @Test
  void whatAnEndedProgramLeavesRunningIsEndedAlsoInTheHostsPidNamespace() {
    var settings =
        shell("until [ -e /go ]; do sleep 0.05; done; sleep 1000 & exit 3")
            .withNamespaces(List.of("pid"));
    var id = node.start(settings);
    node.containers().execDetached(id, ExecSettings.of("sleep", "1000"));
    var pids = node.containers().top(id).stream().map(p -> p.pid()).toList();
    assertThat(pids).hasSizeGreaterThanOrEqualTo(2);

    node.exec(id, "touch", "/go");

    assertThat(node.containers().await(id).code()).isEqualTo(3);
    assertThat(TestNode.cgroup(id)).doesNotExist();
    assertThat(pids).allSatisfy(pid -> assertThat(Path.of("/proc/" + pid + "/exe")).doesNotExist());
    node.containers().remove(id, false);
  }

  @Tag("case-47")
  @Test
  void aContainerThatCouldNotStartIsRemovedAtOnce() {
    var id = node.containers().create(ContainerSettings.of(BUSYBOX, "/no/such")).id();
    assertThat(reason(() -> started(id))).isEqualTo(Reason.PROGRAM_NOT_FOUND);
    assertThat(node.containers().inspect(id).summary().state()).isEqualTo(ContainerState.CREATED);

    node.containers().remove(id, false);

    assertThat(TestNode.cgroup(id)).doesNotExist();
    assertThat(node.mounts()).noneMatch(line -> line.contains(id));
    assertThat(reason(() -> node.containers().inspect(id))).isEqualTo(Reason.NOT_FOUND);
  }

  private static String started(String id) {
    node.containers().start(id);
    return id;
  }

  @Tag("case-62")
  @Test
  void aSignalRightAfterTheStartIsNotLost() {
    // In the host's pid namespace the kernel keeps no signal from a program without a handler.
    var settings = ContainerSettings.of(BUSYBOX, "sleep", "1000").withNamespaces(List.of("pid"));
    for (int i = 0; i < 40; i++) {
      var id = node.start(settings);
      node.containers().stop(id, Optional.of(Duration.ofSeconds(60)));
      assertThat(node.containers().await(id).code()).isEqualTo(143);
      node.containers().remove(id, false);
    }
  }

  @Test
  void anExecThatEndsTheContainerIsToldItsOwnEnd() {
    for (int i = 0; i < 20; i++) {
      var id = node.start("until [ -e /go ]; do :; done; exit 5");

      assertThat(node.exec(id, "sh", "-c", "touch /go; exit 3").code()).isIn(3, 137);
      assertThat(node.containers().await(id).code()).isEqualTo(5);
      node.containers().remove(id, false);
    }
  }

  @Tag("case-72")
  @Test
  void anUpdateDoesNotCutTheAccessToDevices() throws Exception {
    var id = node.start("until [ -e /stop ]; do echo x > /dev/null || exit 9; done; exit 4");

    for (int i = 0; i < 30; i++) {
      node.containers().update(id, Limits.NONE.withPids(40 + i));
    }

    assertThat(Files.readString(TestNode.cgroup(id).resolve("pids.max")).strip()).isEqualTo("69");
    node.exec(id, "touch", "/stop");
    assertThat(node.containers().await(id).code()).isEqualTo(4);
    node.containers().remove(id, false);
  }

  @Tag("case-117")
  @Test
  void noSocketIsWithoutAFileAndTheFilesAreRootsAlone() throws IOException {
    var id = node.start(ContainerSettings.of(BUSYBOX, "sleep", "1000").withNetwork("host"));

    assertThat(node.exec(id, "sh", "-c", "grep -i '@.*caisson' /proc/net/unix").stdout()).isEmpty();
    try (var files = Files.walk(node.directory())) {
      var sockets = files.filter(SpecificationIT::isSocket).toList();
      assertThat(sockets)
          .isNotEmpty()
          .allSatisfy(socket ->
              assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                  .isEqualTo("rw-------"));
    }
    node.containers().remove(id, true);
  }

  private static boolean isSocket(Path file) {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
          .isOther();
    } catch (IOException e) {
      return false;
    }
  }

  @Tag("case-39")
  @Test
  void removingIsSafeToRepeatAndFromSeveralSides() throws Exception {
    var id = node.start("sleep 1000");
    var outcomes = new ArrayList<String>();
    try (var threads = Executors.newFixedThreadPool(4)) {
      var calls =
          IntStream.range(0, 4)
              .<Callable<String>>mapToObj(_ ->
                  () -> {
                    node.containers().remove(id, true);
                    return "removed";
                  })
              .toList();
      for (var outcome : threads.invokeAll(calls, 60, TimeUnit.SECONDS)) {
        try {
          outcomes.add(outcome.get());
        } catch (ExecutionException e) {
          assertThat(e.getCause())
              .isInstanceOfSatisfying(
                  CaissonException.class,
                  failure -> assertThat(failure.reason()).isEqualTo(Reason.NOT_FOUND));
        }
      }
    }
    assertThat(outcomes).isNotEmpty();
    assertThat(node.containers().list()).noneMatch(container -> container.id().equals(id));
    assertThat(TestNode.cgroup(id)).doesNotExist();
    assertThat(node.mounts()).noneMatch(line -> line.contains(id));
  }

  @Tag("case-112")
  @Test
  void aProgramThatIsTheRuntimeItselfCannotChangeIt() throws IOException {
    var id =
        node.start(
            "printf '#!/proc/self/exe\\n' > /evil; chmod 755 /evil; echo audio > /ready; sleep"
                + " 999");
    var runtime = Path.of(node.containers().inspect(id).runtime()).toRealPath();
    var before = Files.readAllBytes(runtime);
    awaitFile(id, "/ready");

    try {
      node.exec(id, "/evil");
    } catch (CaissonException e) {
      // The runtime may refuse to be run so.
      assertThat(e.reason()).isNotEqualTo(Reason.NOT_FOUND);
    }

    assertThat(Files.readAllBytes(runtime)).isEqualTo(before);
    node.containers().remove(id, true);
  }
}
