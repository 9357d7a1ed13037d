package dev.caisson.oci.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProxiesTest {
  private static String proxy(Map<String, String> environment, String address) {
    var proxy = Proxies.of(environment).select(URI.create(address)).getFirst();
    return proxy.equals(Proxy.NO_PROXY)
        ? ""
        : ((InetSocketAddress) proxy.address()).getHostString()
            + ":"
            + ((InetSocketAddress) proxy.address()).getPort();
  }

  @Test
  void eachSchemeHasItsProxy() {
    var environment =
        Map.of("HTTPS_PROXY", "http://secure.example:3128", "http_proxy", "plain.example");

    assertThat(proxy(environment, "https://registry.example/v2/")).isEqualTo("secure.example:3128");
    assertThat(proxy(environment, "http://registry.example/v2/")).isEqualTo("plain.example:80");
    assertThat(proxy(Map.of(), "https://registry.example/v2/")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "https://registry.example/, registry.example, false",
    "https://a.registry.example/, registry.example, false",
    "https://a.registry.example/, .registry.example, false",
    "https://a.registry.example/, *.registry.example, false",
    "https://registry.example:5000/, registry.example:5000, false",
    "https://other.example/, registry.example, true",
    "https://notregistry.example/, registry.example, true",
    "https://other.example/, *, false",
    "http://localhost:5000/, x, false",
    "http://127.0.0.1:5000/, x, false"
  })
  void exceptionsAndThisMachineAreReachedDirectly(
      String address, String exceptions, boolean throughProxy) {
    var environment =
        Map.of(
            "HTTPS_PROXY", "p:1", "HTTP_PROXY", "p:1", "NO_PROXY", "first.example, " + exceptions);

    assertThat(proxy(environment, address).equals("p:1")).isEqualTo(throughProxy);
  }

  @Test
  void whatIsNoAddressIsNoProxy() {
    assertThat(proxy(Map.of("HTTPS_PROXY", "::::"), "https://registry.example/")).isEmpty();
  }
}
