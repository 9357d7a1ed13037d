package dev.caisson.daemon.container;

import dev.caisson.library.ContainerSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The files of a container that tell it names and addresses. Built anew for each start. */
final class HostFiles {
  private static final List<String> PUBLIC_SERVERS = List.of("1.1.1.1", "8.8.8.8");
  private static final Path RESOLVER = Path.of("/etc/resolv.conf");

  /** What systemd's resolver asks, when the file above names only itself. */
  private static final Path UPSTREAM = Path.of("/run/systemd/resolve/resolv.conf");

  /** Source: resolv.conf(5), MAXNS. */
  private static final int MOST_SERVERS = 3;

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
    Files.writeString(
        directory.resolve("resolv.conf"),
        resolver(settings, text(RESOLVER), text(UPSTREAM), warnings));
    return warnings;
  }

  /** A file that is missing, or cannot be read, says nothing. */
  private static String text(Path file) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "";
    }
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
   * With the host's network its file is copied. Otherwise what only the host can reach is dropped:
   * resolvers on its loopback, for which those behind them are taken, IPv6 ones, since no network
   * here has IPv6, and the word that the host's resolver can be trusted.
   *
   * @param host the host's resolv.conf
   * @param upstream resolv.conf of what the host's own resolver asks; empty when there is none
   */
  static String resolver(
      ContainerSettings settings, String host, String upstream, List<String> warnings) {
    var dns = settings.dns();
    var hostNetwork = settings.network().equals("host");
    if (hostNetwork
        && dns.servers().isEmpty()
        && dns.searches().isEmpty()
        && dns.options().isEmpty()) {
      return host;
    }
    var text = new StringBuilder();
    var searches = dns.searches().isEmpty() ? lastSearch(host) : dns.searches();
    if (!searches.isEmpty()) {
      text.append("search ").append(String.join(" ", searches)).append('\n');
    }
    var options = new ArrayList<>(dns.options());
    if (options.isEmpty()) {
      options.addAll(words(host, "options"));
      options.removeIf(option -> !hostNetwork && option.equals("trust-ad"));
    }
    if (!options.isEmpty()) {
      text.append("options ").append(String.join(" ", options)).append('\n');
    }
    for (var server : servers(settings, host, upstream, warnings)) {
      text.append("nameserver ").append(server).append('\n');
    }
    return text.toString();
  }

  private static List<String> servers(
      ContainerSettings settings, String host, String upstream, List<String> warnings) {
    var servers = settings.dns().servers();
    if (servers.isEmpty() && settings.network().equals("host")) {
      servers = words(host, "nameserver");
    } else if (servers.isEmpty()) {
      servers = reachable(host);
      if (servers.isEmpty()) {
        servers = reachable(upstream);
      }
      if (servers.isEmpty() && !settings.network().equals("none")) {
        warnings.add(
            "the host has no name server that the container can reach: public ones are used");
        return PUBLIC_SERVERS;
      }
    }
    if (servers.size() > MOST_SERVERS) {
      warnings.add(
          "there are "
              + servers.size()
              + " name servers: C libraries ask the first "
              + MOST_SERVERS
              + " only");
    }
    return servers;
  }

  /** An address with a zone, such as fe80::1%eth0, is IPv6 as well. */
  private static List<String> reachable(String text) {
    return words(text, "nameserver").stream()
        .filter(server -> !server.startsWith("127.") && !server.contains(":"))
        .toList();
  }

  /** Of several lines the last one counts; an older word for one of its names is domain. */
  private static List<String> lastSearch(String text) {
    List<String> last = List.of();
    for (var line : text.lines().toList()) {
      var parts = List.of(line.strip().split("\\s+"));
      if (parts.getFirst().equals("search") || parts.getFirst().equals("domain")) {
        last = parts.subList(1, parts.size());
      }
    }
    return last;
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
