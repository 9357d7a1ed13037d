package dev.caisson.daemon.container;

import dev.caisson.engine.spec.Capabilities;
import dev.caisson.engine.spec.ConsoleSize;
import dev.caisson.engine.spec.Finding;
import dev.caisson.engine.spec.Linux;
import dev.caisson.engine.spec.Mount;
import dev.caisson.engine.spec.Namespace;
import dev.caisson.engine.spec.Process;
import dev.caisson.engine.spec.Root;
import dev.caisson.engine.spec.Spec;
import dev.caisson.engine.spec.SpecCheck;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.ExecSettings;
import dev.caisson.library.ProcessSettings;
import dev.caisson.library.TerminalSize;
import dev.caisson.linux.FileKind;
import dev.caisson.linux.Signal;
import dev.caisson.oci.ImageConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The runtime specification of one container, made from its image and settings.
 *
 * @param spec config.json
 * @param command the program and its arguments as they are run
 * @param warnings what is done differently than asked, in sentences
 */
public record ContainerSpec(Spec spec, List<String> command, List<String> warnings) {
  private static final String PATH =
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  private static final String INIT = "/dev/init";

  private static final List<String> MASKED =
      List.of(
          "/proc/asound",
          "/proc/acpi",
          "/proc/kcore",
          "/proc/keys",
          "/proc/latency_stats",
          "/proc/timer_list",
          "/proc/timer_stats",
          "/proc/sched_debug",
          "/proc/scsi",
          "/sys/firmware",
          "/sys/devices/virtual/powercap");

  private static final List<String> READ_ONLY =
      List.of("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger");

  private static final List<String> INITS =
      List.of(
          "/usr/libexec/caisson/init",
          "/usr/bin/catatonit",
          "/usr/bin/tini-static",
          "/usr/bin/tini",
          "/usr/bin/dumb-init");

  /**
   * Where a container is.
   *
   * @param id its id
   * @param rootfs where its root is mounted
   * @param files where its generated files lie
   * @param cgroup its cgroup below each hierarchy
   */
  public record Place(String id, Path rootfs, Path files, String cgroup) {}

  /**
   * Makes the specification; writes the generated files, changes nothing else.
   *
   * @param root the mounted root as seen from inside
   * @param rights what this daemon itself may do
   */
  public static ContainerSpec of(
      ImageConfig image, ContainerSettings settings, Place place, RootView root, Rights rights)
      throws IOException {
    checkRoot(root);
    var warnings = new ArrayList<String>();
    var run = image.run();
    var hostNetwork = hostNetwork(settings);
    var hostname =
        settings
            .hostname()
            .orElseGet(() -> hostNetwork ? hostsOwnName() : place.id().substring(0, 12));
    checkNames(settings);
    warnings.addAll(HostFiles.write(place.files(), settings, hostname));
    var command = command(run, settings.process());
    var mounts =
        new ArrayList<>(
            MountSection.of(settings, place.files(), settings.namespaces().contains("ipc")));
    if (settings.init()) {
      mounts.add(initMount());
    }
    var spec =
        Spec.of(Root.of(place.rootfs().toString(), settings.security().readonlyRoot()))
            .withProcess(process(run, settings, mounts, root, rights, command, hostname))
            .withMounts(mounts)
            .withAnnotations(settings.annotations())
            .withLinux(linux(settings, place, hostNetwork, warnings));
    var whole = settings.namespaces().contains("uts") ? spec : spec.withHostname(hostname);
    warnings.addAll(checked(SpecCheck.of(whole), "these settings"));
    return new ContainerSpec(whole, command, warnings);
  }

  /** What cannot work is refused before anything is made of it; the rest becomes warnings. */
  private static List<String> checked(SpecCheck check, String tried) {
    for (var error : check.errors()) {
      throw Refusal.of(tried, error.text(), "");
    }
    return check.warnings().stream().map(Finding::text).toList();
  }

  /** The signal that asks the container to end. */
  public static Signal stopSignal(ImageConfig image, ContainerSettings settings) {
    var word = settings.stopSignal().orElse(image.run().stopSignal());
    try {
      return word.isEmpty() ? Signal.TERM : Signal.parse(word);
    } catch (IllegalArgumentException e) {
      throw Refusal.of("stop " + e.getMessage(), "there is no such signal", "see signal(7)");
    }
  }

  /**
   * A further process of a container: its own init's section with what the exec asks for changed.
   * Another user's groups are found as the first one's were.
   *
   * @param first what was asked for the container's first process
   */
  public static Process exec(
      Spec spec, ProcessSettings first, ExecSettings settings, RootView root, Rights rights)
      throws IOException {
    if (settings.command().isEmpty()) {
      throw Refusal.of("exec", "no command", "name a program");
    }
    var own = spec.process().orElseGet(() -> Process.of("/", settings.command()));
    // The container's own directory is looked at as well: it may have become a link since.
    var directory =
        checkedDirectory(settings.workingDirectory().orElse(own.cwd()), spec.mounts(), root);
    var env = new Environment();
    own.env().forEach(env::add);
    var process =
        own.withoutConsoleSize()
            .withArgs(settings.command())
            .withTerminal(settings.terminal())
            .withCwd(directory);
    if (settings.terminalSize().isPresent()) {
      process = process.withConsoleSize(consoleSize(settings.terminalSize().get()));
    }
    if (settings.user().isPresent()) {
      var identity = identity(settings.user().get(), first, root);
      var bounding = own.capabilities().map(Capabilities::bounding).orElse(List.of());
      process =
          process
              .withUser(identity.user())
              .withCapabilities(CapabilitySection.of(bounding, identity.uid() == 0));
      env.remove("HOME");
      settings.environment().forEach(env::add);
      env.addIfMissing("HOME", identity.home());
    } else {
      settings.environment().forEach(env::add);
    }
    if (settings.privileged()) {
      process =
          process.withCapabilities(
              CapabilitySection.of(
                  CapabilitySection.bounding(true, List.of(), List.of(), rights.capabilities()),
                  true));
    }
    if (settings.terminal()) {
      env.addIfMissing("TERM", "xterm");
    }
    var whole = process.withEnv(env.entries());
    checked(SpecCheck.of(whole), "these settings");
    return whole;
  }

  // ---- process ----

  private static Process process(
      ImageConfig.Run run,
      ContainerSettings settings,
      List<Mount> mounts,
      RootView root,
      Rights rights,
      List<String> command,
      String hostname)
      throws IOException {
    var wanted = settings.process();
    var security = settings.security();
    var identity = identity(wanted.user().orElse(run.user()), wanted, root);
    var directory =
        wanted.workingDirectory().orElse(run.workingDir().isEmpty() ? "/" : run.workingDir());
    var bounding =
        CapabilitySection.bounding(
            security.privileged(),
            security.capabilitiesAdded(),
            security.capabilitiesDropped(),
            rights.capabilities());
    var process =
        Process.of(
                checkedDirectory(directory, mounts, root),
                settings.init() ? withInit(command) : command)
            .withTerminal(wanted.terminal())
            .withUser(identity.user())
            .withEnv(environment(run, wanted, identity, hostname))
            .withCapabilities(CapabilitySection.of(bounding, identity.uid() == 0))
            .withRlimits(wanted.rlimits().stream().map(rights::checkedRlimit).toList())
            .withNoNewPrivileges(security.noNewPrivileges());
    if (wanted.terminalSize().isPresent()) {
      process = process.withConsoleSize(consoleSize(wanted.terminalSize().get()));
    }
    return wanted.oomScoreAdjust().isPresent()
        ? process.withOomScoreAdj(rights.checkedOomScore(wanted.oomScoreAdjust().get()))
        : process;
  }

  /** Docker's rule: a given entrypoint clears the image's command; a given command replaces it. */
  static List<String> command(ImageConfig.Run run, ProcessSettings wanted) {
    var all = new ArrayList<String>(wanted.entrypoint().orElse(run.entrypoint()));
    if (!wanted.command().isEmpty()) {
      all.addAll(wanted.command());
    } else if (wanted.entrypoint().isEmpty()) {
      all.addAll(run.cmd());
    }
    if (all.isEmpty()) {
      throw Refusal.of(
          "the image without a command", "it names neither Entrypoint nor Cmd", "give a command");
    }
    return List.copyOf(all);
  }

  static List<String> environment(
      ImageConfig.Run run, ProcessSettings wanted, Identity identity, String hostname) {
    var env = new Environment();
    env.add(PATH);
    env.add("HOSTNAME=" + hostname);
    if (wanted.terminal()) {
      env.add("TERM=xterm");
    }
    run.env().forEach(env::add);
    wanted.environment().forEach(env::add);
    env.addIfMissing("HOME", identity.home());
    return env.entries();
  }

  private static Identity identity(String user, ProcessSettings wanted, RootView root)
      throws IOException {
    return Identity.find(
        user,
        wanted.groups(),
        wanted.strictGroups(),
        root.text("etc/passwd").orElse(""),
        root.text("etc/group").orElse(""));
  }

  private static ConsoleSize consoleSize(TerminalSize size) {
    return ConsoleSize.of(size.columns(), size.rows());
  }

  /**
   * A working directory below /proc could be a descriptor somebody left open, and so a way out;
   * whether it is named so or a link of the root leads there. What a running container changes
   * after this look is the low-level runtime's to notice. One that does not exist is made by the
   * low-level runtime for the first process, owned by root with mode 0755, and refused by it for
   * later ones.
   */
  private static String checkedDirectory(String path, List<Mount> mounts, RootView root)
      throws IOException {
    var tried = "working directory '" + path + "'";
    if (!path.startsWith("/")) {
      throw Refusal.of(tried, "the path is relative", "begin it with /");
    }
    var clean = Path.of(path).normalize().toString();
    var destination =
        root.destination(clean)
            .orElseThrow(() -> Refusal.of(tried, "its links lead in a circle", "use another"));
    if (destination.startsWith("/proc/")) {
      throw Refusal.of(
          tried, "it leads to '" + destination + "', a process's view in /proc", "use another");
    }
    if (root.isBlocked(clean) && !MountSection.cover(mounts, destination)) {
      throw Refusal.of(tried, "it, or what it lies in, is a file", "name a directory");
    }
    return clean;
  }

  private static List<String> withInit(List<String> command) {
    var all = new ArrayList<>(List.of(INIT, "--"));
    all.addAll(command);
    return all;
  }

  private static Mount initMount() {
    var program =
        INITS.stream()
            .filter(path -> Files.isExecutable(Path.of(path)))
            .findFirst()
            .orElseThrow(() ->
                Refusal.of("--init", "this machine has no init program", "install package tini"));
    return Mount.of(INIT, "bind", program, List.of("bind", "ro", "nosuid", "nodev"));
  }

  // ---- the rest ----

  private static void checkRoot(RootView root) throws IOException {
    for (var name : List.of("proc", "sys", "dev")) {
      var found = root.top(name);
      if (found.isPresent() && found.get().kind() == FileKind.SYMBOLIC_LINK) {
        throw Refusal.of(
            "the image", "its '/" + name + "' is a link", "such an image could reach the host");
      }
    }
  }

  private static void checkNames(ContainerSettings settings) {
    for (var namespace : settings.namespaces()) {
      if (!List.of("pid", "ipc", "uts", "cgroup").contains(namespace)) {
        throw Refusal.of(
            "namespace '" + namespace + "' of the host",
            "it cannot be shared",
            "pid, ipc, uts, cgroup");
      }
    }
    if (settings.namespaces().contains("uts") && settings.hostname().isPresent()) {
      throw Refusal.of("--hostname", "the container shares the host's", "drop --uts host");
    }
    settings
        .hostname()
        .filter(name -> name.isEmpty() || name.length() > 63 || name.contains("/"))
        .ifPresent(name -> {
          throw Refusal.of("--hostname '" + name + "'", "no host name", "give 1 to 63 characters");
        });
  }

  private static boolean hostNetwork(ContainerSettings settings) {
    return switch (settings.network()) {
      case "none" -> false;
      case "host" -> true;
      default ->
          throw Refusal.of(
              "--network " + settings.network(), "there is no such network", "give none or host");
    };
  }

  private static String hostsOwnName() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    } catch (IOException e) {
      return "localhost";
    }
  }

  private static Linux linux(
      ContainerSettings settings, Place place, boolean hostNetwork, List<String> warnings) {
    var security = settings.security();
    checkSysctls(settings, hostNetwork);
    var linux =
        Linux.NONE
            .withResources(
                ResourceSection.of(settings.limits()).withDevices(DeviceSection.rules(settings)))
            .withDevices(DeviceSection.nodes(settings, warnings))
            .withCgroupsPath(place.cgroup())
            .withNamespaces(namespaces(settings, hostNetwork))
            .withSysctl(settings.sysctls());
    var open = security.unmaskedPaths();
    if (!security.privileged() && !open.contains("ALL")) {
      linux =
          linux
              .withMaskedPaths(MASKED.stream().filter(p -> !open.contains(p)).toList())
              .withReadonlyPaths(READ_ONLY.stream().filter(p -> !open.contains(p)).toList());
    }
    var seccomp = SeccompSection.of(security);
    return seccomp.isPresent() ? linux.withSeccomp(seccomp.get()) : linux;
  }

  private static List<Namespace> namespaces(ContainerSettings settings, boolean hostNetwork) {
    var own = new ArrayList<Namespace>();
    own.add(Namespace.of("mount"));
    for (var type : List.of("pid", "ipc", "uts", "cgroup")) {
      if (!settings.namespaces().contains(type)) {
        own.add(Namespace.of(type));
      }
    }
    if (!hostNetwork) {
      own.add(Namespace.of("network"));
    }
    return own;
  }

  /**
   * Only what belongs to a namespace of the container's own; anything else would change the host.
   */
  private static void checkSysctls(ContainerSettings settings, boolean hostNetwork) {
    for (var name : settings.sysctls().keySet()) {
      var ipc =
          name.startsWith("fs.mqueue.")
              || name.startsWith("kernel.shm")
              || name.startsWith("kernel.msg")
              || name.equals("kernel.sem");
      var allowed =
          ipc && !settings.namespaces().contains("ipc") || name.startsWith("net.") && !hostNetwork;
      if (!allowed) {
        throw Refusal.of(
            "--sysctl " + name,
            "it would change the host's own",
            "only net.*, fs.mqueue.*, kernel.shm*, kernel.msg* and kernel.sem of own namespaces");
      }
    }
  }

  /** An environment with one entry for each name; a bare name removes it. */
  private static final class Environment {
    private final Map<String, String> values = new LinkedHashMap<>();

    void add(String entry) {
      int equals = entry.indexOf('=');
      if (equals < 0) {
        values.remove(entry);
      } else if (equals > 0) {
        values.put(entry.substring(0, equals), entry.substring(equals + 1));
      } else {
        throw Refusal.of("--env '" + entry + "'", "the name is empty", "give NAME=value");
      }
    }

    void remove(String name) {
      values.remove(name);
    }

    void addIfMissing(String name, String value) {
      if (values.getOrDefault(name, "").isEmpty()) {
        values.put(name, value);
      }
    }

    List<String> entries() {
      var entries = new ArrayList<String>();
      values.forEach((name, value) -> entries.add(name + "=" + value));
      return List.copyOf(entries);
    }
  }

  /** Copies what could change under it. */
  public ContainerSpec {
    command = List.copyOf(command);
    warnings = List.copyOf(warnings);
  }
}
