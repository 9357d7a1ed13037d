package dev.caisson.oci.registry;

import static dev.caisson.oci.registry.TokenService.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.caisson.oci.ImageException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrustTest {
  private static final char[] PASSWORD = "password".toCharArray();

  @TempDir static Path shared;
  private static SSLContext context;

  @TempDir Path certificates;
  private final List<Duration> pauses = new ArrayList<>();
  private TokenService server;

  /** A certificate for 127.0.0.1 and no other name, which no authority has signed. */
  @BeforeAll
  static void makeCertificate() throws Exception {
    keytool(
        "-genkeypair -alias server -keyalg EC -dname CN=test -ext SAN=ip:127.0.0.1 -validity 2"
            + " -storepass password -keystore keys");
    var keys = KeyStore.getInstance(shared.resolve("keys").toFile(), PASSWORD);
    Files.write(shared.resolve("ca.crt"), keys.getCertificate("server").getEncoded());
    var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD);
    context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
  }

  private static void keytool(String arguments) throws IOException, InterruptedException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments.split(" ")));
    var process =
        new ProcessBuilder(command)
            .directory(shared.toFile())
            .redirectErrorStream(true)
            .redirectOutput(shared.resolve("log").toFile())
            .start();
    assertThat(process.waitFor()).as(Files.readString(shared.resolve("log"))).isZero();
  }

  @BeforeEach
  void start() throws IOException {
    var https = HttpsServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
    https.setHttpsConfigurator(new HttpsConfigurator(context));
    server = TokenService.start(https).behave(exchange -> send(exchange, 200, "there"));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private RegistrySettings settings(Set<String> insecure) {
    var usual = RegistrySettings.USUAL;
    return new RegistrySettings(
        Map.of(),
        insecure,
        List.of(certificates.resolve("none"), certificates),
        usual.retries(),
        Duration.ofMinutes(1),
        usual.parallel(),
        false);
  }

  private int ask(String host, RegistrySettings settings) throws InterruptedException {
    var address = URI.create("https://" + host + "/v2/");
    try (var transport = new Transport(settings, Proxies.of(Map.of()), _ -> {}, pauses::add);
        var answer =
            transport.repeat(
                Origin.of(address),
                settings.retries(),
                () -> transport.exchange(Call.get(address), ""))) {
      return answer.status();
    }
  }

  private String host() {
    return "127.0.0.1:" + server.port();
  }

  private void trust(String directory) throws IOException {
    Files.copy(
        shared.resolve("ca.crt"),
        Files.createDirectory(certificates.resolve(directory)).resolve("own.crt"));
  }

  @Test
  void aCertificateThatNobodySignedIsRefusedAtOnceWithAdvice() {
    assertThatThrownBy(() -> ask(host(), settings(Set.of())))
        .isInstanceOfSatisfying(
            ImageException.class,
            failure -> assertThat(failure.kind()).isEqualTo(ImageException.Kind.UNAVAILABLE))
        .hasMessageContaining("speak to 'https://" + host() + "'")
        .hasMessageContaining("certs.d/" + host() + "/ca.crt");
    assertThat(pauses).isEmpty();
    assertThat(server.questions()).isEmpty();
  }

  @Test
  void aCertificateInTheDirectoryOfTheHostIsBelieved() throws Exception {
    trust(host());

    assertThat(ask(host(), settings(Set.of()))).isEqualTo(200);
  }

  @Test
  void aCertificateOfAnotherHostIsNotBelieved() throws Exception {
    trust("127.0.0.1:1");
    trust("127.0.0.1");

    assertThatThrownBy(() -> ask(host(), settings(Set.of()))).isInstanceOf(ImageException.class);
  }

  @Test
  void aBelievedCertificateCountsForItsNamesAlone() throws Exception {
    trust("localhost:" + server.port());

    assertThatThrownBy(() -> ask("localhost:" + server.port(), settings(Set.of())))
        .isInstanceOf(ImageException.class);
  }

  @Test
  void anInsecureHostMayShowAnyCertificate() throws Exception {
    assertThat(ask(host(), settings(Set.of(host())))).isEqualTo(200);
    var other = "localhost:" + server.port();
    assertThat(ask(other, settings(Set.of(other)))).isEqualTo(200);
  }

  @Test
  void insecureIsOneHostAlone() {
    assertThatThrownBy(() -> ask(host(), settings(Set.of("localhost:" + server.port()))))
        .isInstanceOf(ImageException.class);
  }

  @Test
  void aFileThatIsNoCertificateIsToldWithItsDirectory() throws Exception {
    var directory = Files.createDirectory(certificates.resolve(host()));
    Files.writeString(directory.resolve("own.crt"), "-----BEGIN CERTIFICATE-----\njunk\n");

    assertThatThrownBy(() -> ask(host(), settings(Set.of())))
        .isInstanceOfSatisfying(
            ImageException.class,
            failure -> assertThat(failure.kind()).isEqualTo(ImageException.Kind.INVALID))
        .hasMessageContaining("read the certificates for '" + host() + "'")
        .hasMessageContaining(certificates.toString())
        .hasCauseInstanceOf(GeneralSecurityException.class);
  }
}
