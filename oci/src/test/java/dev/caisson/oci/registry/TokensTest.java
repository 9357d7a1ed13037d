package dev.caisson.oci.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import dev.caisson.oci.ImageException;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TokensTest {
  private static final String SCOPE = "repository:team/app:pull";

  private FakeRegistry service;
  private Transport transport;
  private Tokens tokens;
  private final MovingClock clock = new MovingClock();
  private volatile String body = "{\"token\":\"t\"}";
  private volatile int status = 200;
  private final List<String> bodies = new CopyOnWriteArrayList<>();

  /** A clock that stands until it is moved. */
  private static final class MovingClock extends Clock {
    private Instant now = Instant.parse("2030-01-01T00:00:00Z");

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @Override
    public Instant instant() {
      return now;
    }
  }

  @BeforeEach
  void open() throws IOException {
    service = FakeRegistry.start();
    service.play(this::answer);
    var settings =
        RegistrySettings.USUAL.withPatience(
            new Retries(2, Duration.ofMillis(1), Duration.ofSeconds(1)), Duration.ofSeconds(20));
    transport = new Transport(settings, Proxies.of(Map.of()), _ -> {}, _ -> {});
    tokens = new Tokens(transport, settings, clock);
  }

  @AfterEach
  void close() {
    transport.close();
    service.close();
  }

  private boolean answer(HttpExchange exchange) throws IOException {
    bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    FakeRegistry.send(exchange, status, body);
    return true;
  }

  private Tokens.Key key(String registry) {
    return Tokens.key(
        Origin.of(URI.create(registry)),
        new Challenge("bearer", Map.of("realm", service.address() + "/token", "service", "s 1")),
        SCOPE);
  }

  private String get() throws InterruptedException {
    return tokens.get(key("http://localhost:1"), new Credential.Anonymous());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"token\": \"t1\"} | t1 | 60",
        "{\"access_token\": \"t2\", \"expires_in\": 300} | t2 | 300",
        "{\"token\":\"t3\",\"access_token\":\"t3\",\"issued_at\":\"2030-01-01T00:00:00Z\"}| t3 |"
            + " 60",
        "{\"token\": \"t4\", \"expires_in\": 1} | t4 | 1",
        "{\"token\": \"t5\", \"expires_in\": \"300\", \"issued_at\": \"\"} | t5 | 300",
        "{\"token\": \"t6\", \"expires_in\": 0} | t6 | 60",
        "{\"token\": \"t7\", \"expires_in\": -1} | t7 | 60",
        "{\"token\": \"t8\", \"expires_in\": null} | t8 | 60"
      })
  @Tag("case-27")
  void bothNamesCountAndATokenIsRenewedBeforeItRunsOut(String answer, String token, int seconds)
      throws Exception {
    body = answer;

    assertThat(get()).isEqualTo(token);
    clock.now = clock.now.plusMillis(seconds * 500L);
    assertThat(get()).isEqualTo(token);
    assertThat(service.questions()).hasSize(1);

    clock.now = clock.now.plusMillis(seconds * 500L - 1);
    get();
    assertThat(service.questions()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "null", "[]", "", "{\"token\":\"\"}", "{\"token\":7}", "<html>"})
  @Tag("case-27")
  void noTokenIsAnErrorThatSaysSo(String answer) {
    body = answer;

    assertThat(catchThrowableOfType(ImageException.class, this::get))
        .hasMessageContaining("the token service sent no token")
        .hasMessageContaining("localhost:1");
  }

  @Test
  void theQuestionHasServiceScopeAndAccount() throws Exception {
    tokens.get(key("http://localhost:1"), new Credential.Password("me & you", "word"));

    var question = service.questions().getFirst();
    assertThat(question.line())
        .isEqualTo(
            "GET /token?service=s+1&scope=repository%3Ateam%2Fapp%3Apull&account=me+%26+you");
    assertThat(question.authorization()).startsWith("Basic ");
  }

  @Test
  void anIdentityTokenGoesIntoTheBody() throws Exception {
    tokens.get(key("http://localhost:1"), new Credential.IdentityToken("secret"));

    assertThat(service.questions().getFirst().line()).isEqualTo("POST /token");
    assertThat(bodies.getFirst())
        .contains("grant_type=refresh_token", "refresh_token=secret", "service=s+1");
  }

  @Test
  @Tag("case-24")
  void twoHostsNeverShareAToken() throws Exception {
    get();
    tokens.get(key("http://localhost:2"), new Credential.Anonymous());

    assertThat(service.questions()).hasSize(2);
  }

  @Test
  void aRegistryOfHttpsCannotSendALoginOverPlainHttp() {
    var failure =
        catchThrowableOfType(
            ImageException.class,
            () ->
                tokens.get(key("https://registry.example"), new Credential.Password("me", "word")));

    assertThat(failure.kind()).isEqualTo(ImageException.Kind.DENIED);
    assertThat(service.questions()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "nothing", "file:///etc/passwd", "https:///x", "::"})
  void aRealmThatIsNoAddressIsRefused(String realm) {
    var key =
        Tokens.key(
            Origin.of(URI.create("http://localhost:1")),
            new Challenge("bearer", Map.of("realm", realm)),
            SCOPE);

    assertThat(
            catchThrowableOfType(
                    ImageException.class, () -> tokens.get(key, new Credential.Anonymous()))
                .kind())
        .isEqualTo(ImageException.Kind.DENIED);
  }

  @Test
  void aRefusedLoginIsDeniedInTheServicesWords() {
    status = 401;
    body = "{\"details\":\"incorrect \\u001b[31mpassword\"}";

    var failure = catchThrowableOfType(ImageException.class, this::get);

    assertThat(failure.kind()).isEqualTo(ImageException.Kind.DENIED);
    assertThat(failure.getMessage()).contains("incorrect", "password").doesNotContain("\u001b");
  }

  @Test
  void aTokenThatWasNotAcceptedIsForgotten() throws Exception {
    get();
    tokens.forget(key("http://localhost:1"));
    get();

    assertThat(service.questions()).hasSize(2);
  }
}
