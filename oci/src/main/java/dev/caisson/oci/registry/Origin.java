package dev.caisson.oci.registry;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Locale;

/**
 * Where a request goes, and what a login belongs to: a scheme, a host, a port.
 *
 * @param scheme {@code http} or {@code https}
 * @param host in small letters, an IPv6 address in brackets
 * @param port never left out
 */
record Origin(String scheme, String host, int port) {
  private static final int HTTP_PORT = 80;
  private static final int HTTPS_PORT = 443;

  /** Of an absolute address; throws IllegalArgumentException for what is none of http or https. */
  static Origin of(URI address) {
    var scheme = address.getScheme();
    var host = address.getHost();
    if (scheme == null
        || host == null
        || !(scheme.equalsIgnoreCase("http") || scheme.equalsIgnoreCase("https"))) {
      throw new IllegalArgumentException("'" + address + "' is not an address of http or https");
    }
    boolean secure = scheme.equalsIgnoreCase("https");
    int usual = secure ? HTTPS_PORT : HTTP_PORT;
    return new Origin(
        secure ? "https" : "http",
        host.toLowerCase(Locale.ROOT),
        address.getPort() < 0 ? usual : address.getPort());
  }

  boolean isSecure() {
    return scheme.equals("https");
  }

  /** Whether its name alone says that it is this machine; asks no name server. */
  boolean isLoopback() {
    return isLoopback(host);
  }

  /** As above, of a host with or without a port. */
  static boolean isLoopback(String authority) {
    return authority.matches("(?i)(localhost|127(\\.[0-9]{1,3}){3}|\\[::1])(:[0-9]+)?");
  }

  /** Whether any address of it is this machine's, its network's own, or nobody's. */
  boolean isNear() throws UnknownHostException {
    for (var address : InetAddress.getAllByName(host)) {
      if (address.isLoopbackAddress()
          || address.isLinkLocalAddress()
          || address.isAnyLocalAddress()
          || address.isMulticastAddress()) {
        return true;
      }
    }
    return false;
  }

  /** Host and port, without the port that is usual. */
  String authority() {
    return port == (isSecure() ? HTTPS_PORT : HTTP_PORT) ? host : host + ":" + port;
  }

  @Override
  public String toString() {
    return scheme + "://" + authority();
  }
}
