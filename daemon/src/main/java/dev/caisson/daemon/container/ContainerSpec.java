package dev.caisson.daemon.container;

import dev.caisson.library.ContainerSettings;
import dev.caisson.library.ExecSettings;
import dev.caisson.library.ProcessSettings;
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
 * The runtime specification of one container, as a JSON tree, made from its image and settings.
 *
 * @param tree config.json
 * @param command the program and its arguments as they are run
 * @param warnings what is done differently than asked, in sentences
 */
public record ContainerSpec(Map<String, Object> tree, List<String> command, List<String> warnings) {
  private static final String VERSION = "1.0.2";
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
    var tree = new LinkedHashMap<String, Object>();
    tree.put("ociVersion", VERSION);
    tree.put("process", process(run, settings, root, rights, command, hostname));
    tree.put(
        "root",
        Map.of("path", place.rootfs().toString(), "readonly", settings.security().readonlyRoot()));
    var hostUts = settings.namespaces().contains("uts");
    if (!hostUts) {
      tree.put("hostname", hostname);
    }
    var mounts =
        new ArrayList<>(
            MountSection.of(settings, place.files(), settings.namespaces().contains("ipc")));
    if (settings.init()) {
      mounts.add(initMount());
    }
    tree.put("mounts", mounts);
    tree.put("annotations", settings.annotations());
    tree.put("linux", linux(settings, place, hostNetwork));
    return new ContainerSpec(tree, command, warnings);
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
   */
  public static Map<String, Object> exec(
      Map<String, Object> spec, ExecSettings settings, RootView root, Rights rights)
      throws IOException {
    if (settings.command().isEmpty()) {
      throw Refusal.of("exec", "no command", "name a program");
    }
    var process = new LinkedHashMap<String, Object>();
    if (spec.get("process") instanceof Map<?, ?> own) {
      own.forEach((key, value) -> process.put((String) key, value));
    }
    process.put("args", settings.command());
    process.put("terminal", settings.terminal());
    process.remove("consoleSize");
    settings
        .terminalSize()
        .ifPresent(size -> process.put("consoleSize", consoleSize(size.columns(), size.rows())));
    // The container's own directory is looked at as well: it may have become a link since.
    var directory = settings.workingDirectory().orElse((String) process.getOrDefault("cwd", "/"));
    process.put("cwd", checkedDirectory(directory, root));
    var env = new Environment();
    if (process.get("env") instanceof List<?> own) {
      own.forEach(entry -> env.add((String) entry));
    }
    if (settings.user().isPresent()) {
      var identity = identity(settings.user().get(), List.of(), root);
      process.put("user", user(identity));
      process.put("capabilities", Capabilities.section(bounding(process), identity.uid() == 0));
      env.remove("HOME");
      settings.environment().forEach(env::add);
      env.addIfMissing("HOME", identity.home());
    } else {
      settings.environment().forEach(env::add);
    }
    if (settings.privileged()) {
      process.put(
          "capabilities",
          Capabilities.section(
              Capabilities.bounding(true, List.of(), List.of(), rights.capabilities()), true));
    }
    if (settings.terminal()) {
      env.addIfMissing("TERM", "xterm");
    }
    process.put("env", env.entries());
    return process;
  }

  @SuppressWarnings("unchecked")
  private static List<String> bounding(Map<String, Object> process) {
    return process.get("capabilities") instanceof Map<?, ?> sets
            && sets.get("bounding") instanceof List<?> list
        ? (List<String>) list
        : List.of();
  }

  // ---- process ----

  private static Map<String, Object> process(
      ImageConfig.Run run,
      ContainerSettings settings,
      RootView root,
      Rights rights,
      List<String> command,
      String hostname)
      throws IOException {
    var wanted = settings.process();
    var security = settings.security();
    var identity = identity(wanted.user().orElse(run.user()), wanted.groups(), root);
    var process = new LinkedHashMap<String, Object>();
    process.put("terminal", wanted.terminal());
    wanted
        .terminalSize()
        .ifPresent(size -> process.put("consoleSize", consoleSize(size.columns(), size.rows())));
    process.put("user", user(identity));
    process.put("args", settings.init() ? withInit(command) : command);
    process.put("env", environment(run, wanted, identity, hostname));
    process.put(
        "cwd",
        checkedDirectory(
            wanted.workingDirectory().orElse(run.workingDir().isEmpty() ? "/" : run.workingDir()),
            root));
    process.put(
        "capabilities",
        Capabilities.section(
            Capabilities.bounding(
                security.privileged(),
                security.capabilitiesAdded(),
                security.capabilitiesDropped(),
                rights.capabilities()),
            identity.uid() == 0));
    var rlimits = new ArrayList<Object>();
    for (var rlimit : wanted.rlimits()) {
      rlimits.add(rights.checkedRlimit(rlimit));
    }
    process.put("rlimits", rlimits);
    process.put("noNewPrivileges", security.noNewPrivileges());
    wanted
        .oomScoreAdjust()
        .ifPresent(score -> process.put("oomScoreAdj", rights.checkedOomScore(score)));
    return process;
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

  private static Identity identity(String wanted, List<String> groups, RootView root)
      throws IOException {
    return Identity.find(
        wanted, groups, root.text("etc/passwd").orElse(""), root.text("etc/group").orElse(""));
  }

  private static Map<String, Object> user(Identity identity) {
    return Map.of(
        "uid", identity.uid(), "gid", identity.gid(), "additionalGids", identity.groups());
  }

  private static Map<String, Object> consoleSize(int columns, int rows) {
    return Map.of("width", (long) columns, "height", (long) rows);
  }

  /**
   * A working directory below /proc could be a descriptor somebody left open, and so a way out;
   * whether it is named so or a link of the root leads there. What a running container changes
   * after this look is the low-level runtime's to notice.
   */
  private static String checkedDirectory(String path, RootView root) throws IOException {
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
    return clean;
  }

  private static List<String> withInit(List<String> command) {
    var all = new ArrayList<>(List.of(INIT, "--"));
    all.addAll(command);
    return all;
  }

  private static Map<String, Object> initMount() {
    var program =
        INITS.stream()
            .filter(path -> Files.isExecutable(Path.of(path)))
            .findFirst()
            .orElseThrow(() ->
                Refusal.of("--init", "this machine has no init program", "install package tini"));
    return Map.of(
        "destination",
        INIT,
        "type",
        "bind",
        "source",
        program,
        "options",
        List.of("bind", "ro", "nosuid", "nodev"));
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

  private static Map<String, Object> linux(
      ContainerSettings settings, Place place, boolean hostNetwork) {
    var security = settings.security();
    var linux = new LinkedHashMap<String, Object>();
    var resources = new LinkedHashMap<>(ResourceSection.of(settings.limits()));
    var rules = new ArrayList<Object>();
    rules.add(Map.of("allow", security.privileged(), "access", "rwm"));
    var devices = new ArrayList<Object>();
    for (var wanted : settings.devices()) {
      var device = HostDevice.find(wanted.source());
      if (!wanted.access().matches("[rwm]{1,3}")) {
        throw Refusal.of(
            "device access '" + wanted.access() + "'", "no such right", "give letters of rwm");
      }
      devices.add(
          Map.of(
              "path",
              wanted.destination(),
              "type",
              device.type(),
              "major",
              device.major(),
              "minor",
              device.minor(),
              "fileMode",
              (long) device.mode(),
              "uid",
              (long) device.uid(),
              "gid",
              (long) device.gid()));
      rules.add(
          Map.of(
              "allow",
              true,
              "type",
              device.type(),
              "major",
              device.major(),
              "minor",
              device.minor(),
              "access",
              wanted.access()));
    }
    resources.put("devices", rules);
    linux.put("resources", resources);
    linux.put("devices", devices);
    linux.put("cgroupsPath", place.cgroup());
    linux.put("namespaces", namespaces(settings, hostNetwork));
    checkSysctls(settings, hostNetwork);
    linux.put("sysctl", settings.sysctls());
    if (!security.privileged()) {
      var open = security.unmaskedPaths();
      if (!open.contains("ALL")) {
        linux.put("maskedPaths", MASKED.stream().filter(p -> !open.contains(p)).toList());
        linux.put("readonlyPaths", READ_ONLY.stream().filter(p -> !open.contains(p)).toList());
      }
      SeccompSection.of(security).ifPresent(seccomp -> linux.put("seccomp", seccomp));
    }
    return linux;
  }

  private static List<Object> namespaces(ContainerSettings settings, boolean hostNetwork) {
    var own = new ArrayList<Object>();
    own.add(Map.of("type", "mount"));
    for (var type : List.of("pid", "ipc", "uts", "cgroup")) {
      if (!settings.namespaces().contains(type)) {
        own.add(Map.of("type", type));
      }
    }
    if (!hostNetwork) {
      own.add(Map.of("type", "network"));
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
