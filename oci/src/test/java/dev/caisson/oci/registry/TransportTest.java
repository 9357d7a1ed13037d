package dev.caisson.oci.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.caisson.oci.ImageException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransportTest {
  @TempDir Path temporary;
  private FakeRegistry server;
  private final List<Duration> pauses = new CopyOnWriteArrayList<>();
  private final List<String> notices = new CopyOnWriteArrayList<>();
  private RegistrySettings settings =
      RegistrySettings.USUAL.withPatience(
          new Retries(3, Duration.ofMillis(1), Duration.ofSeconds(60)), Duration.ofSeconds(20));

  @BeforeEach
  void open() throws IOException {
    server = FakeRegistry.start();
  }

  @AfterEach
  void close() {
    server.close();
  }

  private Transport transport() {
    return new Transport(settings, Proxies.of(Map.of()), notices::add, pauses::add);
  }

  private int status(Transport transport, URI address) throws InterruptedException {
    try (var answer =
        transport.repeat(
            Origin.of(address),
            settings.retries(),
            () -> transport.exchange(Call.get(address), "Basic secret"))) {
      return answer.status();
    }
  }

  private int status(URI address) throws InterruptedException {
    try (var transport = transport()) {
      return status(transport, address);
    }
  }

  private void redirectTo(String location) {
    server.play(exchange -> {
      exchange.getResponseHeaders().set("Location", location);
      return answer(exchange, 302);
    });
  }

  private static boolean answer(HttpExchange exchange, int status) throws IOException {
    FakeRegistry.send(exchange, status, "");
    return true;
  }

  @Test
  void aRedirectAtTheSameHostKeepsTheLogin() throws Exception {
    server.play(exchange -> {
      if (exchange.getRequestURI().getPath().equals("/v2/")) {
        return false;
      }
      exchange.getResponseHeaders().set("Location", "/v2/");
      return answer(exchange, 307);
    });

    assertThat(status(server.address().resolve("/start"))).isEqualTo(200);
    assertThat(server.questions()).allMatch(each -> each.authorization().equals("Basic secret"));
  }

  @Test
  void redirectsInACircleEnd() {
    redirectTo("/again");

    assertThatThrownBy(() -> status(server.address().resolve("/")))
        .isInstanceOf(ImageException.class)
        .hasMessageContaining("redirects more than 6 times");
  }

  @ParameterizedTest
  @ValueSource(strings = {"file:///etc/passwd", "ftp://example.test/", "::", "https:///"})
  void aRedirectToWhatIsNoWebServerIsRefused(String location) {
    redirectTo(location);

    assertThatThrownBy(() -> status(server.address().resolve("/")))
        .isInstanceOf(ImageException.class)
        .hasMessageContaining("not an address of http or https");
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 429, 500, 502, 503, 504})
  void whatMayPassIsTriedAgain(int status) throws Exception {
    server.play(exchange -> answer(exchange, status));

    assertThat(status(server.address().resolve("/v2/"))).isEqualTo(status);
    assertThat(server.questions()).hasSize(3);
    assertThat(pauses).containsExactly(Duration.ofMillis(1), Duration.ofMillis(2));
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 403, 404, 410, 501})
  void whatDoesNotPassIsNot(int status) throws Exception {
    server.play(exchange -> answer(exchange, status));

    assertThat(status(server.address().resolve("/v2/"))).isEqualTo(status);
    assertThat(pauses).isEmpty();
  }

  @Test
  void silenceIsGivenUp() throws Exception {
    settings = settings.withPatience(settings.retries().withTries(1), Duration.ofMillis(200));
    var end = new CountDownLatch(1);
    server.play(exchange -> {
      try {
        end.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return answer(exchange, 200);
    });

    assertThatThrownBy(() -> status(server.address().resolve("/v2/")))
        .isInstanceOf(ImageException.class)
        .hasMessageContaining("no answer for 200 ms");
    end.countDown();
  }

  @Test
  void aHostWithoutAddressIsNotTriedAgain() {
    assertThatThrownBy(() -> status(URI.create("http://nobody.invalid/v2/")))
        .isInstanceOf(ImageException.class)
        .hasMessageContaining("there is no host of that name");
    assertThat(pauses).isEmpty();
  }

  // ---- certificates

  private HttpsServer secureServer() throws Exception {
    var store = temporary.resolve("store.p12");
    keytool(
        "-genkeypair",
        "-alias",
        "me",
        "-keyalg",
        "EC",
        "-dname",
        "CN=localhost",
        "-ext",
        "san=dns:localhost",
        "-storetype",
        "PKCS12",
        "-keystore",
        store.toString(),
        "-storepass",
        "changeit");
    keytool(
        "-exportcert",
        "-rfc",
        "-alias",
        "me",
        "-keystore",
        store.toString(),
        "-storepass",
        "changeit",
        "-file",
        temporary.resolve("me.crt").toString());
    var keys = KeyStore.getInstance(store.toFile(), "changeit".toCharArray());
    var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, "changeit".toCharArray());
    var context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    var secure =
        HttpsServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
    secure.setHttpsConfigurator(new HttpsConfigurator(context));
    secure.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    secure.createContext(
        "/",
        exchange -> {
          try (exchange) {
            FakeRegistry.send(exchange, 200, "{}");
          }
        });
    secure.start();
    return secure;
  }

  private static void keytool(String... arguments) throws Exception {
    var command =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
    command.addAll(List.of(arguments));
    var process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(process.waitFor()).isZero();
  }

  @Test
  void anUnknownCertificateIsBelievedOnlyWhereTheUserSaysSo() throws Exception {
    var secure = secureServer();
    try {
      var address = URI.create("https://localhost:" + secure.getAddress().getPort() + "/v2/");
      String authority = Origin.of(address).authority();
      var usual = settings;

      var failure = catchThrowableOfType(ImageException.class, () -> status(address));
      assertThat(failure.kind()).isEqualTo(ImageException.Kind.UNAVAILABLE);
      assertThat(failure.advice()).contains("certs.d/" + authority);
      assertThat(pauses).isEmpty();

      settings = usual.withInsecure(Set.of(authority));
      assertThat(status(address)).isEqualTo(200);

      var trusted = Files.createDirectories(temporary.resolve("certs.d").resolve(authority));
      Files.copy(temporary.resolve("me.crt"), trusted.resolve("ca.crt"));
      settings =
          new RegistrySettings(
              Map.of(),
              Set.of(),
              List.of(temporary.resolve("certs.d")),
              usual.retries(),
              usual.stall(),
              1,
              false);
      assertThat(status(address)).isEqualTo(200);
    } finally {
      secure.stop(0);
    }
  }
}
