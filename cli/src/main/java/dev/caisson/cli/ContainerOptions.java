package dev.caisson.cli;

import dev.caisson.library.ContainerSettings;
import dev.caisson.library.DeviceSettings;
import dev.caisson.library.DnsSettings;
import dev.caisson.library.LogKeeping;
import dev.caisson.library.MountSettings;
import dev.caisson.library.ProcessSettings;
import dev.caisson.library.PullPolicy;
import dev.caisson.library.TerminalSize;
import dev.caisson.library.VolumeSpecs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** What a container is made from: options of {@code run} and {@code create}. */
final class ContainerOptions {
  final ProcessOptions process;
  final Option.Flag removeAtEnd;
  final Option.Flag quiet;
  final Option.Text cidfile;
  final Option.Text detachKeys;
  final Option.Texts attach;
  private final LimitOptions limits;
  private final SecurityOptions security;
  private final NamespaceOptions namespaces;
  private final Option.Text name;
  private final Option.Text entrypoint;
  private final Option.Texts groups;
  private final Option.Flag strictGroups;
  private final Option.Texts ulimits;
  private final Option.Text oomScore;
  private final Option.Texts volumes;
  private final Option.Texts mounts;
  private final Option.Texts tmpfs;
  private final Option.Texts devices;
  private final Option.Text shmSize;
  private final Option.Texts hosts;
  private final Option.Texts dns;
  private final Option.Texts dnsSearches;
  private final Option.Texts dnsOptions;
  private final Option.Texts sysctls;
  private final Option.Texts labels;
  private final Option.Texts labelFiles;
  private final Option.Texts annotations;
  private final Option.Text logDriver;
  private final Option.Texts logOptions;
  private final Option.Text runtime;
  private final Option.Flag init;
  private final Option.Text stopSignal;
  private final Option.Text stopTimeout;
  private final Option.Text pull;
  private final Option.Text platform;

  ContainerOptions(Options options) {
    name = options.text("name", "NAME", "Its name; made up when none is given");
    process = new ProcessOptions(options);
    entrypoint = options.text("entrypoint", "PROGRAM", "Instead of the image's; '' for none");
    groups = options.texts("group-add", "GROUP", "Further group it belongs to");
    strictGroups = options.flag("strict-groups", "No groups by the image's /etc/group");
    ulimits = options.texts("ulimit", "NAME=SOFT[:HARD]", "Resource limit of its processes");
    oomScore =
        options.text("oom-score-adj", "NUMBER", "When it is killed for memory: -1000 to 1000");
    removeAtEnd = options.flag("rm", "Remove it when it ends");
    volumes =
        options.texts('v', "volume", "SRC:DST[:OPTIONS]", "Bind a file or folder of the host");
    mounts = options.texts("mount", "FIELDS", "Mount: type=bind,src=…,dst=… or type=tmpfs,dst=…");
    tmpfs = options.texts("tmpfs", "DST[:OPTIONS]", "Mount an empty file system in memory");
    shmSize = options.text("shm-size", "BYTES", "Size of /dev/shm (64m)");
    devices = options.texts("device", "SRC[:DST][:rwm]", "Give it a device of the host");
    namespaces = new NamespaceOptions(options);
    hosts = options.texts("add-host", "NAME:ADDRESS", "Line for /etc/hosts; also host-gateway");
    dns = options.texts("dns", "ADDRESS", "Name server");
    dnsSearches = options.texts("dns-search", "DOMAIN", "Domain to search names in");
    dnsOptions = options.texts("dns-option", "OPTION", "Option of the resolver");
    options.alias("dns-opt", "dns-option");
    limits = new LimitOptions(options);
    security = new SecurityOptions(options);
    sysctls = options.texts("sysctl", "NAME=VALUE", "Kernel setting of its namespaces");
    labels = options.texts('l', "label", "NAME[=VALUE]", "Label");
    labelFiles = options.texts("label-file", "FILE", "File with a label on each line");
    annotations = options.texts("annotation", "NAME=VALUE", "Annotation for the runtime and hooks");
    logDriver = options.text("log-driver", "NAME", "Keep its output: k8s-file, or none");
    logOptions = options.texts("log-opt", "NAME=VALUE", "max-size=BYTES, max-file=NUMBER");
    runtime = options.text("runtime", "NAME", "Low-level runtime: auto, crun, runc, or a path");
    init = options.flag("init", "Put a small init in front of the program");
    stopSignal = options.text("stop-signal", "SIGNAL", "Signal that asks it to end");
    stopTimeout = options.text("stop-timeout", "SECONDS", "Time between that signal and SIGKILL");
    pull = options.text("pull", "WHEN", "Ask the registry: always, missing, or never");
    platform = options.text("platform", "OS/ARCH", "Platform wanted of the image");
    quiet = options.flag('q', "quiet", "Do not show the progress of a pull");
    cidfile = options.text("cidfile", "FILE", "Write its id to this new file");
    detachKeys = options.text("detach-keys", "KEYS", "Keys that leave it (ctrl-p,ctrl-q)");
    attach = options.texts('a', "attach", "STREAM", "Connect only to stdin, stdout, stderr");
  }

  /** All settings. The first argument is the image, the others the command. */
  ContainerSettings settings(
      List<String> arguments, Machine machine, Optional<TerminalSize> terminalSize) {
    return new ContainerSettings(
        arguments.getFirst(),
        name.value(),
        process(arguments.subList(1, arguments.size()), machine, terminalSize),
        limits.limits(),
        mounts(),
        devices(),
        security.settings(),
        namespaces.network(),
        namespaces.hostname(),
        hosts(),
        new DnsSettings(dns.values(), dnsSearches.values(), dnsOptions.values()),
        namespaces.shared(),
        LimitOptions.bytes(shmSize),
        pairs(sysctls, List.of(), true),
        labels(),
        pairs(annotations, List.of(), false),
        log(),
        runtime.value().orElse("auto"),
        init.on(),
        stopSignal.value(),
        stopGrace(),
        pullPolicy(),
        platform.value(),
        removeAtEnd.on());
  }

  private ProcessSettings process(
      List<String> command, Machine machine, Optional<TerminalSize> terminalSize) {
    return new ProcessSettings(
        command,
        entrypoint(),
        process.environment(machine),
        process.workingDirectory.value(),
        process.user.value(),
        groups.values(),
        strictGroups.on(),
        process.terminal.on(),
        process.interactive.on(),
        terminalSize,
        rlimits(),
        LimitOptions.whole(oomScore));
  }

  private Optional<List<String>> entrypoint() {
    if (entrypoint.value().isEmpty()) {
      return Optional.empty();
    }
    var program = entrypoint.value().get();
    return Optional.of(program.isEmpty() ? List.of() : List.of(program));
  }

  private List<ProcessSettings.Rlimit> rlimits() {
    var limits = new ArrayList<ProcessSettings.Rlimit>();
    for (var text : ulimits.values()) {
      int equals = text.indexOf('=');
      if (equals < 1) {
        throw ulimits.invalid(text, "say NAME=SOFT[:HARD], such as nofile=1024:2048");
      }
      var value = text.substring(equals + 1);
      int colon = value.indexOf(':');
      long soft = rlimit(text, colon < 0 ? value : value.substring(0, colon));
      long hard = colon < 0 ? soft : rlimit(text, value.substring(colon + 1));
      limits.add(
          new ProcessSettings.Rlimit(
              text.substring(0, equals).toLowerCase(Locale.ROOT), soft, hard));
    }
    return limits;
  }

  private long rlimit(String text, String number) {
    if (number.equals("unlimited")) {
      return -1;
    }
    try {
      return Long.parseLong(number);
    } catch (NumberFormatException e) {
      throw ulimits.invalid(text, "'" + number + "' is neither a number nor unlimited");
    }
  }

  private List<MountSettings> mounts() {
    var all = new ArrayList<MountSettings>();
    var here = Path.of("").toAbsolutePath();
    add(all, volumes, text -> VolumeSpecs.volume(text, here));
    add(all, mounts, VolumeSpecs::mount);
    add(all, tmpfs, VolumeSpecs::tmpfs);
    return all;
  }

  private static void add(
      List<MountSettings> all, Option.Texts option, Function<String, MountSettings> reading) {
    for (var text : option.values()) {
      try {
        all.add(reading.apply(text));
      } catch (IllegalArgumentException e) {
        throw new UsageException(String.valueOf(e.getMessage()));
      }
    }
  }

  private List<DeviceSettings> devices() {
    var all = new ArrayList<DeviceSettings>();
    for (var text : devices.values()) {
      var parts = text.split(":", -1);
      boolean accessLast = parts.length > 1 && isAccess(parts[parts.length - 1]);
      int paths = accessLast ? parts.length - 1 : parts.length;
      if (paths > 2 || !parts[0].startsWith("/") || (paths == 2 && !parts[1].startsWith("/"))) {
        throw devices.invalid(text, "say /dev/SOURCE[:/dev/DESTINATION][:rwm]");
      }
      all.add(
          new DeviceSettings(
              parts[0],
              paths == 2 ? parts[1] : parts[0],
              accessLast ? parts[parts.length - 1] : "rwm"));
    }
    return all;
  }

  private static boolean isAccess(String text) {
    for (int i = 0; i < text.length(); i++) {
      if ("rwm".indexOf(text.charAt(i)) < 0) {
        return false;
      }
    }
    return !text.isEmpty() && text.length() <= 3;
  }

  private List<ContainerSettings.HostEntry> hosts() {
    var all = new ArrayList<ContainerSettings.HostEntry>();
    for (var text : hosts.values()) {
      int end = text.indexOf('=') > 0 ? text.indexOf('=') : text.indexOf(':');
      if (end < 1 || end == text.length() - 1) {
        throw hosts.invalid(text, "say NAME:ADDRESS");
      }
      var address = text.substring(end + 1);
      if (address.startsWith("[") && address.endsWith("]")) {
        address = address.substring(1, address.length() - 1);
      }
      all.add(new ContainerSettings.HostEntry(text.substring(0, end), address));
    }
    return all;
  }

  private Map<String, String> labels() {
    var lines = new ArrayList<String>();
    for (var file : labelFiles.values()) {
      lines.addAll(ProcessOptions.entries(labelFiles, file));
    }
    return pairs(labels, lines, false);
  }

  private static Map<String, String> pairs(
      Option.Texts option, List<String> before, boolean valueNeeded) {
    if (option.values().isEmpty() && before.isEmpty()) {
      return Map.of();
    }
    var pairs = new LinkedHashMap<String, String>();
    var lines = new ArrayList<>(before);
    lines.addAll(option.values());
    for (var line : lines) {
      int equals = line.indexOf('=');
      if (equals == 0 || line.isEmpty() || (valueNeeded && equals < 0)) {
        throw option.invalid(line, "say " + option.label());
      }
      pairs.put(
          equals < 0 ? line : line.substring(0, equals),
          equals < 0 ? "" : line.substring(equals + 1));
    }
    return pairs;
  }

  private LogKeeping log() {
    var driver = logDriver.value().orElse("k8s-file");
    if (driver.equals("none")) {
      return LogKeeping.NOTHING;
    }
    if (!driver.equals("k8s-file")) {
      throw logDriver.invalid(driver, "there are k8s-file and none");
    }
    long size = LogKeeping.USUAL.maxBytes();
    int files = LogKeeping.USUAL.maxFiles();
    for (var entry : pairs(logOptions, List.of(), true).entrySet()) {
      var text = new Option.Text(Option.NO_LETTER, "log-opt " + entry.getKey(), "", "");
      text.accept(entry.getValue());
      switch (entry.getKey()) {
        case "max-size" -> size = LimitOptions.bytes(text).orElseThrow();
        case "max-file" -> files = LimitOptions.whole(text).orElseThrow();
        default -> throw logOptions.invalid(entry.getKey(), "there are max-size and max-file");
      }
    }
    try {
      return new LogKeeping(true, size, files);
    } catch (IllegalArgumentException e) {
      throw new UsageException("option --log-opt: " + e.getMessage());
    }
  }

  private Optional<Duration> stopGrace() {
    var seconds = LimitOptions.whole(stopTimeout);
    if (seconds.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        seconds.get() < 0 ? Duration.ofDays(365) : Duration.ofSeconds(seconds.get()));
  }

  private PullPolicy pullPolicy() {
    var text = pull.value().orElse("missing");
    return switch (text) {
      case "always" -> PullPolicy.ALWAYS;
      case "missing" -> PullPolicy.MISSING;
      case "never" -> PullPolicy.NEVER;
      default -> throw pull.invalid(text, "say always, missing or never");
    };
  }
}
