package dev.caisson.oci.registry;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The proxies that an environment names: {@code HTTPS_PROXY}, {@code HTTP_PROXY}, except for what
 * {@code NO_PROXY} lists and this machine itself; names in small letters count too. Source:
 * curl(1), "Environment"; there is no standard.
 */
final class Proxies extends ProxySelector {
  private static final int USUAL_PORT = 80;

  private final Optional<InetSocketAddress> secure;
  private final Optional<InetSocketAddress> plain;
  private final List<String> exceptions;

  private Proxies(
      Optional<InetSocketAddress> secure,
      Optional<InetSocketAddress> plain,
      List<String> exceptions) {
    this.secure = secure;
    this.plain = plain;
    this.exceptions = exceptions;
  }

  static Proxies of(Map<String, String> environment) {
    return new Proxies(
        variable(environment, "HTTPS_PROXY").flatMap(Proxies::address),
        variable(environment, "HTTP_PROXY").flatMap(Proxies::address),
        variable(environment, "NO_PROXY")
            .map(list -> List.of(list.toLowerCase(Locale.ROOT).split("[,\\s]+")))
            .orElse(List.of()));
  }

  private static Optional<String> variable(Map<String, String> environment, String name) {
    return Optional.ofNullable(environment.get(name))
        .or(() -> Optional.ofNullable(environment.get(name.toLowerCase(Locale.ROOT))))
        .filter(value -> !value.isBlank());
  }

  private static Optional<InetSocketAddress> address(String text) {
    try {
      var address = URI.create(text.contains("://") ? text : "http://" + text);
      return Optional.ofNullable(address.getHost())
          .map(host ->
              InetSocketAddress.createUnresolved(
                  host, address.getPort() < 0 ? USUAL_PORT : address.getPort()));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  @Override
  public List<Proxy> select(URI address) {
    var origin = Origin.of(address);
    var proxy = origin.isSecure() ? secure : plain;
    return List.of(
        proxy
            .filter(_ -> !origin.isLoopback() && !isException(origin))
            .map(to -> new Proxy(Proxy.Type.HTTP, to))
            .orElse(Proxy.NO_PROXY));
  }

  /** A name in the list means itself and all below it. */
  private boolean isException(Origin origin) {
    for (String exception : exceptions) {
      String bare = exception.replaceFirst("^\\*?\\.", "");
      if (exception.equals("*")
          || (!bare.isEmpty()
              && (origin.host().equals(bare)
                  || origin.host().endsWith("." + bare)
                  || (origin.host() + ":" + origin.port()).equals(bare)))) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void connectFailed(URI address, SocketAddress proxy, IOException failure) {
    // The request itself fails and tells.
  }
}
