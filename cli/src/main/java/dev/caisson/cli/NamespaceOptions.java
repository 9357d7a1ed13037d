package dev.caisson.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a container shares with the host: options of {@code run} and {@code create}. */
final class NamespaceOptions {
  private final Option.Text network;
  private final Option.Text hostname;
  private final Option.Text pid;
  private final Option.Text ipc;
  private final Option.Text uts;
  private final Option.Text cgroup;

  NamespaceOptions(Options options) {
    hostname = options.text('h', "hostname", "NAME", "Its host name");
    network = options.text("network", "NAME", "Network: none, or the host's: host");
    options.alias("net", "network");
    pid = options.text("pid", "MODE", "Process ids: private, or host");
    ipc = options.text("ipc", "MODE", "Shared memory and semaphores: private, or host");
    uts = options.text("uts", "MODE", "Host name: private, or host");
    cgroup = options.text("cgroupns", "MODE", "View of cgroups: private, or host");
  }

  String network() {
    var name = network.value().orElse("none");
    if (!name.equals("none") && !name.equals("host")) {
      throw network.invalid(name, "there are none and host");
    }
    return name;
  }

  Optional<String> hostname() {
    return hostname.value();
  }

  List<String> shared() {
    var shared = new ArrayList<String>();
    add(shared, pid, "pid");
    add(shared, ipc, "ipc");
    add(shared, uts, "uts");
    add(shared, cgroup, "cgroup");
    return shared;
  }

  private static void add(List<String> shared, Option.Text option, String namespace) {
    var mode = option.value().orElse("private");
    switch (mode) {
      case "private", "" -> {}
      case "host" -> shared.add(namespace);
      default -> throw option.invalid(mode, "say private or host");
    }
  }
}
