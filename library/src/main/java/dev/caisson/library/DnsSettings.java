package dev.caisson.library;

import java.util.List;

/** Lines of /etc/resolv.conf; an empty list follows the host's file. */
public record DnsSettings(List<String> servers, List<String> searches, List<String> options) {

  /** As the host. */
  public static final DnsSettings USUAL = new DnsSettings(List.of(), List.of(), List.of());

  /** Copies what could change under it. */
  public DnsSettings {
    servers = List.copyOf(servers);
    searches = List.copyOf(searches);
    options = List.copyOf(options);
  }
}
