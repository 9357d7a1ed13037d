package dev.caisson.oci.registry;

import static dev.caisson.oci.registry.TokenService.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.json.Json;
import dev.caisson.json.JsonLimits;
import dev.caisson.oci.ImageException;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TokensTest {
  private static final Credential ANN = new Credential.Password("ann", "s3cret");
  private static final Credential ANONYMOUS = new Credential.Anonymous();
  private static final String SCOPE = "repository:team/app:pull";

  private final List<Duration> pauses = new ArrayList<>();
  private final HandClock clock = new HandClock();
  private TokenService service;
  private Transport transport;
  private Tokens tokens;

  /** Stands still until it is moved. */
  private static final class HandClock extends Clock {
    private Instant now = Instant.parse("2030-01-01T00:00:00Z");

    void move(Duration by) {
      now = now.plus(by);
    }

    @Override
    public Instant instant() {
      return now;
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }

  @BeforeEach
  void start() throws IOException {
    service = TokenService.start();
    transport = new Transport(RegistrySettings.USUAL, Proxies.of(Map.of()), _ -> {}, pauses::add);
    tokens = new Tokens(transport, RegistrySettings.USUAL, clock);
  }

  @AfterEach
  void stop() {
    transport.close();
    service.close();
  }

  private Tokens.Key key(String registry, String realm) {
    return Tokens.key(
        Origin.of(URI.create(registry)),
        new Challenge("bearer", Map.of("realm", realm, "service", "registry & co")),
        SCOPE);
  }

  private Tokens.Key key() {
    return key("http://localhost:5000", service.address("/token").toString());
  }

  private void answer(String body) {
    service.behave(exchange -> send(exchange, 200, body));
  }

  /** Answers with the number of the question as the token. */
  private void count(String expiry) {
    service.behave(exchange ->
        send(
            exchange, 200, "{\"token\": \"t%d\"%s}".formatted(service.questions().size(), expiry)));
  }

  @Test
  @Tag("case-27")
  void eachFormOfAnswerIsUnderstood() throws Exception {
    try (var in = getClass().getResourceAsStream("token-answers.json")) {
      var cases = (List<?>) Json.readTree(in.readAllBytes(), "", JsonLimits.USUAL);
      assertThat(cases).hasSize(7);
      for (var each : cases) {
        var answer = (Map<?, ?>) each;
        answer(answer.get("body") == null ? "null" : Json.text(answer.get("body")));
        tokens.forget(key());
        if (answer.get("want").toString().startsWith("error")) {
          assertThatThrownBy(() -> tokens.get(key(), ANONYMOUS))
              .isInstanceOf(ImageException.class)
              .hasMessageContaining("the token service sent no token");
        } else {
          assertThat(answer.get("want").toString()).startsWith(tokens.get(key(), ANONYMOUS));
        }
      }
    }
  }

  @ParameterizedTest
  @Tag("case-27")
  @ValueSource(strings = {"", "[]", "{\"token\": \"\"}", "{\"token\": 7}", "{\"token\":", "t"})
  void anAnswerWithoutATokenIsDeniedWithAReason(String body) {
    answer(body);

    assertThatThrownBy(() -> tokens.get(key(), ANONYMOUS))
        .isInstanceOfSatisfying(
            ImageException.class,
            failure -> assertThat(failure.kind()).isEqualTo(ImageException.Kind.DENIED))
        .hasMessageContaining("sent no token");
  }

  @ParameterizedTest
  @Tag("case-27")
  @CsvSource(
      delimiter = '|',
      value = {
        "''                     | 50",
        ", \"expires_in\": 300    | 290",
        ", \"expires_in\": \"300\"  | 290",
        ", \"expires_in\": 0      | 50",
        ", \"expires_in\": -5     | 50",
        ", \"expires_in\": null   | 50",
        ", \"expires_in\": \"soon\" | 50",
        ", \"expires_in\": 4      | 3",
        ", \"expires_in\": 999999999 | 86390",
      })
  void aTokenIsUsedUntilShortlyBeforeItRunsOut(String expiry, long seconds) throws Exception {
    count(expiry);

    assertThat(tokens.get(key(), ANONYMOUS)).isEqualTo("t1");
    clock.move(Duration.ofSeconds(seconds).minusMillis(1));
    assertThat(tokens.get(key(), ANONYMOUS)).isEqualTo("t1");
    clock.move(Duration.ofMillis(1));
    assertThat(tokens.get(key(), ANONYMOUS)).isEqualTo("t2");
  }

  @Test
  void aTokenThatWasNotAcceptedIsNotUsedAgain() throws Exception {
    count("");

    assertThat(tokens.get(key(), ANONYMOUS)).isEqualTo("t1");
    tokens.forget(key());
    assertThat(tokens.get(key(), ANONYMOUS)).isEqualTo("t2");
  }

  @Test
  void twoHostsNeverShareAToken() throws Exception {
    count("");
    var realm = service.address("/token").toString();

    assertThat(tokens.get(key("http://localhost:5000", realm), ANN)).isEqualTo("t1");
    assertThat(tokens.get(key("http://localhost:5001", realm), ANONYMOUS)).isEqualTo("t2");
    assertThat(tokens.get(key("http://127.0.0.1:5000", realm), ANONYMOUS)).isEqualTo("t3");
    assertThat(tokens.get(key("http://localhost:5000", realm), ANN)).isEqualTo("t1");
  }

  @Test
  void aPasswordIsShownToTheServiceWithWhatIsWanted() throws Exception {
    answer("{\"token\": \"t\"}");

    tokens.get(key(), ANN);

    assertThat(service.questions())
        .containsExactly(
            new TokenService.Question(
                "GET /token?service=registry+%26+co&scope=repository%3Ateam%2Fapp%3Apull"
                    + "&account=ann",
                ((Credential.Password) ANN).basic(), ""));
  }

  @Test
  void aRealmMayHaveAQueryAndAScopeSeveralParts() throws Exception {
    answer("{\"token\": \"t\"}");

    tokens.get(
        new Tokens.Key(service.origin(), service.address("/token?a=b").toString(), "", "x y"),
        ANONYMOUS);

    assertThat(service.questions())
        .containsExactly(new TokenService.Question("GET /token?a=b&scope=x&scope=y", "", ""));
  }

  @Test
  void anIdentityTokenIsPosted() throws Exception {
    answer("{\"access_token\": \"t\"}");

    assertThat(tokens.get(key(), new Credential.IdentityToken("a+b/c="))).isEqualTo("t");

    var question = service.questions().getFirst();
    assertThat(question.line()).isEqualTo("POST /token");
    assertThat(question.authorization()).isEmpty();
    assertThat(question.body().split("&"))
        .containsExactlyInAnyOrder(
            "grant_type=refresh_token",
            "client_id=caisson",
            "service=registry+%26+co",
            "scope=repository%3Ateam%2Fapp%3Apull",
            "refresh_token=a%2Bb%2Fc%3D");
  }

  @Test
  void aLoginDoesNotFollowTheServiceToAnotherHost() throws Exception {
    try (var other = TokenService.start()) {
      other.behave(exchange -> send(exchange, 200, "{\"token\": \"t\"}"));
      service.behave(
          exchange -> TokenService.redirect(exchange, other.address("/other").toString()));

      assertThat(tokens.get(key(), ANN)).isEqualTo("t");

      assertThat(other.questions())
          .containsExactly(new TokenService.Question("GET /other", "", ""));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"http://127.0.0.1:%d/", "", "/token", "file:///etc", "https://", ":", "%%"})
  void aRegistryReachedByHttpsCannotSendALoginAnywhere(String realm) {
    assertThatThrownBy(
            () -> tokens.get(key("https://a.example", realm.formatted(service.port())), ANN))
        .isInstanceOfSatisfying(
            ImageException.class,
            failure -> assertThat(failure.kind()).isEqualTo(ImageException.Kind.DENIED))
        .hasMessageContaining("get a token for 'a.example'")
        .hasMessageNotContaining("s3cret");
    assertThat(service.questions()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 403})
  void aRefusedLoginIsDeniedWithTheWordsOfTheService(int status) {
    service.behave(
        exchange -> send(exchange, status, "{\"error_description\": \"no\\u001b[2Jsuch user\"}"));

    assertThatThrownBy(() -> tokens.get(key(), ANN))
        .isInstanceOfSatisfying(
            ImageException.class,
            failure -> assertThat(failure.kind()).isEqualTo(ImageException.Kind.DENIED))
        .hasMessageContaining("refuses: " + status + " no [2Jsuch user")
        .hasMessageContaining("log in to 'localhost:5000' again");
    assertThat(pauses).isEmpty();
  }

  @Test
  @Tag("case-26")
  void aServiceThatStaysRateLimitedIsNamed() {
    service.behave(exchange -> send(exchange, 429, ""));

    assertThatThrownBy(() -> tokens.get(key(), ANN))
        .isInstanceOfSatisfying(
            ImageException.class,
            failure -> assertThat(failure.kind()).isEqualTo(ImageException.Kind.UNAVAILABLE))
        .hasMessageContaining("rate limited by '127.0.0.1:" + service.port() + "'");
    assertThat(service.questions()).hasSize(Retries.USUAL.tries());
    assertThat(pauses).hasSize(Retries.USUAL.tries() - 1);
  }
}
