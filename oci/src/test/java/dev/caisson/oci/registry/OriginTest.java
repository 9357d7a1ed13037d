package dev.caisson.oci.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OriginTest {
  private static Origin origin(String address) {
    return Origin.of(URI.create(address));
  }

  @ParameterizedTest
  @CsvSource({
    "https://Registry.Example/v2/?a=b#c, https://registry.example, registry.example",
    "HTTPS://registry.example:443, https://registry.example, registry.example",
    "http://registry.example:443, http://registry.example:443, registry.example:443",
    "http://registry.example:80/, http://registry.example, registry.example",
    "https://user:secret@registry.example:5000/, https://registry.example:5000,"
        + " registry.example:5000",
    "http://[::1]:5000/x, http://[::1]:5000, [::1]:5000"
  })
  void theUsualPortIsLeftOutAndAllElseIsKept(String address, String text, String authority) {
    assertThat(origin(address)).hasToString(text);
    assertThat(origin(address).authority()).isEqualTo(authority);
    assertThat(origin(text)).isEqualTo(origin(address));
  }

  @Test
  void schemeHostAndPortAllCount() {
    assertThat(origin("https://a.example"))
        .isNotEqualTo(origin("http://a.example:443"))
        .isNotEqualTo(origin("https://a.example:444"))
        .isNotEqualTo(origin("https://b.example"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ftp://a.example",
        "file:///etc/passwd",
        "a.example",
        "/v2/",
        "https:a",
        "mailto:a@b"
      })
  void whatIsNoAddressOfHttpIsRefused(String address) {
    assertThatThrownBy(() -> origin(address))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + address + "' is not an address of http or https");
  }

  @ParameterizedTest
  @CsvSource({
    "localhost, true",
    "LocalHost:5000, true",
    "127.0.0.1, true",
    "127.1.2.3:80, true",
    "[::1]:5000, true",
    "localhost.example, false",
    "127.0.0.1.example, false",
    "notlocalhost, false",
    "128.0.0.1, false",
    "registry.example, false"
  })
  void loopbackIsToldByTheName(String authority, boolean loopback) {
    assertThat(Origin.isLoopback(authority)).isEqualTo(loopback);
    assertThat(origin("http://" + authority).isLoopback()).isEqualTo(loopback);
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, true",
    "127.8.8.8, true",
    "0.0.0.0, true",
    "169.254.169.254, true",
    "224.0.0.1, true",
    "[::1], true",
    "[::], true",
    "[fe80::1], true",
    "[::ffff:127.0.0.1], true",
    "[::ffff:169.254.169.254], true",
    "192.0.2.1, false",
    "[2001:db8::1], false"
  })
  void nearIsToldByTheAddress(String host, boolean near) throws Exception {
    assertThat(origin("https://" + host).isNear()).isEqualTo(near);
  }
}
