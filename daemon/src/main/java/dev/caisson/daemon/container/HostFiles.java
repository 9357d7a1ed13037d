package dev.caisson.daemon.container;

import dev.caisson.library.ContainerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The files of a container that tell it names and addresses. Built anew for each start. */
final class HostFiles {
  private static final String PUBLIC_SERVERS = "nameserver 1.1.1.1\nnameserver 8.8.8.8\n";

  private HostFiles() {}

  /**
   * Writes hosts, hostname and resolv.conf.
   *
   * @return sentences about what is different than one might expect
   */
  static List<String> write(Path directory, ContainerSettings settings, String hostname)
      throws IOException {
    var warnings = new ArrayList<String>();
    Files.createDirectories(directory);
    Files.writeString(directory.resolve("hostname"), hostname + "\n");
    Files.writeString(directory.resolve("hosts"), hosts(settings, hostname, warnings));
    var host = Path.of("/etc/resolv.conf");
    Files.writeString(
        directory.resolve("resolv.conf"),
        resolver(settings, Files.exists(host) ? Files.readString(host) : "", warnings));
    return warnings;
  }

  /**
   * The user's entries come before the container's own name, which is left out when they have it.
   */
  static String hosts(ContainerSettings settings, String hostname, List<String> warnings) {
    var text = new StringBuilder("127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost\n");
    var own = true;
    for (var entry : settings.hosts()) {
      if (entry.address().equals("host-gateway")) {
        if (!settings.network().equals("host")) {
          warnings.add(
              "--add-host "
                  + entry.name()
                  + ":host-gateway: this network has no gateway, left out");
          continue;
        }
        text.append("127.0.0.1\t").append(entry.name()).append('\n');
      } else {
        text.append(entry.address()).append('\t').append(entry.name()).append('\n');
      }
      own &= !entry.name().equals(hostname);
    }
    if (own) {
      text.append("127.0.0.1\t").append(hostname).append('\n');
    }
    return text.toString();
  }

  /**
   * With the host's network its file is copied; otherwise resolvers on its loopback cannot be
   * reached.
   */
  static String resolver(ContainerSettings settings, String host, List<String> warnings) {
    var dns = settings.dns();
    var hostNetwork = settings.network().equals("host");
    if (hostNetwork
        && dns.servers().isEmpty()
        && dns.searches().isEmpty()
        && dns.options().isEmpty()) {
      return host;
    }
    var text = new StringBuilder();
    var searches = dns.searches().isEmpty() ? words(host, "search") : dns.searches();
    if (!searches.isEmpty()) {
      text.append("search ").append(String.join(" ", searches)).append('\n');
    }
    var options = dns.options().isEmpty() ? words(host, "options") : dns.options();
    if (!options.isEmpty()) {
      text.append("options ").append(String.join(" ", options)).append('\n');
    }
    var servers = dns.servers();
    if (servers.isEmpty()) {
      servers =
          words(host, "nameserver").stream()
              .filter(server -> hostNetwork || !isLoopback(server))
              .toList();
    }
    if (servers.isEmpty() && !settings.network().equals("none")) {
      warnings.add(
          "the host has no name server that the container can reach: public ones are used");
      return text + PUBLIC_SERVERS;
    }
    servers.forEach(server -> text.append("nameserver ").append(server).append('\n'));
    return text.toString();
  }

  private static boolean isLoopback(String server) {
    return server.startsWith("127.") || server.equals("::1");
  }

  private static List<String> words(String text, String key) {
    var words = new ArrayList<String>();
    for (var line : text.lines().toList()) {
      var parts = line.strip().split("\\s+");
      if (parts[0].equals(key)) {
        words.addAll(List.of(parts).subList(1, parts.length));
      }
    }
    return words;
  }
}
