package dev.caisson.oci.registry;

import static dev.caisson.oci.registry.TokenService.redirect;
import static dev.caisson.oci.registry.TokenService.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.oci.ImageException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransportTest {
  private static final Duration STALL = Duration.ofMillis(200);

  private final List<Duration> pauses = new ArrayList<>();
  private final List<String> notices = new ArrayList<>();
  private TokenService server;
  private Transport transport;

  @BeforeEach
  void start() throws IOException {
    server = TokenService.start();
    transport = transport(Duration.ofMinutes(1));
  }

  @AfterEach
  void stop() {
    transport.close();
    server.close();
  }

  private Transport transport(Duration stall) {
    return new Transport(
        RegistrySettings.USUAL.withPatience(Retries.USUAL, stall),
        Proxies.of(Map.of()),
        notices::add,
        pauses::add);
  }

  private Answer repeat(Transport with) throws InterruptedException {
    return with.repeat(
        server.origin(),
        Retries.USUAL,
        () -> with.exchange(Call.get(server.address("/start")), ""));
  }

  private static String text(Answer answer) throws Exception {
    return new String(answer.body().readAll(1000), java.nio.charset.StandardCharsets.UTF_8);
  }

  @Test
  @Tag("case-24")
  void aLoginIsShownToTheFirstHostAloneAndToNoOtherPort() throws Exception {
    try (var other = TokenService.start()) {
      server.behave(exchange -> {
        if (exchange.getRequestURI().getPath().equals("/start")) {
          redirect(exchange, "/same");
        } else {
          redirect(exchange, other.address("/other").toString());
        }
      });
      other.behave(exchange -> send(exchange, 200, "there"));

      try (var answer = transport.exchange(Call.get(server.address("/start")), "Basic x")) {
        assertThat(text(answer)).isEqualTo("there");
        assertThat(answer.address()).isEqualTo(other.address("/other"));
      }

      assertThat(server.questions())
          .containsExactly(
              new TokenService.Question("GET /start", "Basic x", ""),
              new TokenService.Question("GET /same", "Basic x", ""));
      assertThat(other.questions())
          .containsExactly(new TokenService.Question("GET /other", "", ""));
    }
  }

  @Test
  void redirectsWithoutEndAreRefused() {
    server.behave(exchange -> redirect(exchange, exchange.getRequestURI() + "x"));

    assertThatThrownBy(() -> transport.exchange(Call.get(server.address("/")), ""))
        .isInstanceOf(ImageException.class)
        .hasMessageContaining("redirects more than 6 times");
    assertThat(server.questions()).hasSize(7);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ftp://a.example/", "file:///etc/passwd", "http:// x/", "http://", "::"})
  void aRedirectToWhatIsNoAddressOfHttpIsRefused(String location) {
    server.behave(exchange -> redirect(exchange, location));

    assertThatThrownBy(() -> transport.exchange(Call.get(server.address("/")), ""))
        .isInstanceOf(ImageException.class)
        .hasMessageContaining("speak to '" + server.origin() + "'")
        .hasMessageContaining("not an address of http or https");
  }

  @Test
  void whatWritesIsNotSentToWhereARedirectLeads() throws Exception {
    server.behave(exchange -> redirect(exchange, "/other"));

    try (var answer =
        transport.exchange(
            Call.send("POST", server.address("/"), "", Call.Payload.of("body")), "")) {
      assertThat(answer.status()).isEqualTo(307);
    }
    assertThat(server.questions()).containsExactly(new TokenService.Question("POST /", "", "body"));
  }

  @Test
  void aGuardSeesEachHostBeforeItIsAsked() throws Exception {
    try (var other = TokenService.start()) {
      server.behave(exchange -> redirect(exchange, other.address("/").toString()));

      assertThatThrownBy(() ->
              transport.exchange(
                  Call.get(server.address("/")),
                  "",
                  origin -> {
                    if (!origin.equals(server.origin())) {
                      throw new IOException("not there");
                    }
                  }))
          .hasMessage("not there");
      assertThat(other.questions()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 429, 500, 502, 503, 504})
  void whatMayPassIsTriedAgainWithGrowingPauses(int status) throws Exception {
    server.behave(
        exchange -> send(exchange, server.questions().size() < 4 ? status : 200, "there"));

    try (var answer = repeat(transport)) {
      assertThat(text(answer)).isEqualTo("there");
    }
    assertThat(pauses)
        .containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(4));
    assertThat(notices).hasSize(3);
    assertThat(notices.getFirst())
        .contains(server.origin().authority(), status == 429 ? "rate limited" : "status " + status);
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 403, 404, 416, 501})
  void whatNoFurtherTryWouldChangeIsAnAnswer(int status) throws Exception {
    server.behave(exchange -> send(exchange, status, ""));

    try (var answer = repeat(transport)) {
      assertThat(answer.status()).isEqualTo(status);
    }
    assertThat(server.questions()).hasSize(1);
    assertThat(pauses).isEmpty();
  }

  @Test
  @Tag("case-26")
  void whatTheServerAsksForIsWaitedUpToAMinuteAndTold() throws Exception {
    var asked = List.of("2", "0", "Wed, 21 Oct 2037 07:28:00 GMT", "abc");
    server.behave(exchange -> {
      int number = server.questions().size();
      if (number <= asked.size()) {
        exchange.getResponseHeaders().set("Retry-After", asked.get(number - 1));
      }
      send(
          exchange,
          number <= asked.size() ? 429 : 200,
          """
          {"errors":[{"code":"TOOMANYREQUESTS","message":"limit \\u001b[31m\\u009b2Jreached"}]}
          """);
    });

    repeat(transport).close();

    assertThat(pauses)
        .containsExactly(
            Duration.ofSeconds(2),
            Duration.ofSeconds(1),
            Duration.ofMinutes(1),
            Duration.ofSeconds(8));
    assertThat(notices)
        .allMatch(notice -> notice.contains("rate limited: limit  [31m 2Jreached; trying again"));
    assertThat(notices.get(2)).endsWith("although it asks for a longer pause");
  }

  @Test
  void theLastAnswerIsGivenWhenTriesAreUsedUp() throws Exception {
    server.behave(
        exchange -> send(exchange, 503, "{\"errors\":[{\"detail\":\"x\"}],\"message\":\"down\"}"));

    try (var answer = repeat(transport)) {
      assertThat(answer.failure("try"))
          .hasMessage(
              "try: '%s' answers with status 503: down".formatted(server.origin().authority()));
    }
    assertThat(server.questions()).hasSize(6);
    assertThat(pauses).hasSize(5);
  }

  @Test
  void aServerThatSaysNothingIsGivenUp() throws Exception {
    var end = new CountDownLatch(1);
    server.behave(_ -> end.await());

    try (var impatient = transport(STALL)) {
      assertThatThrownBy(() -> impatient.exchange(Call.get(server.address("/")), ""))
          .isInstanceOf(HttpTimeoutException.class)
          .hasMessageContaining("no answer for 200 ms");
    } finally {
      end.countDown();
    }
  }

  @Test
  void aServerThatFallsSilentIsGivenUp() throws Exception {
    var end = new CountDownLatch(1);
    server.behave(exchange -> {
      exchange.sendResponseHeaders(200, 10);
      exchange.getResponseBody().write(1);
      exchange.getResponseBody().flush();
      end.await();
    });

    try (var impatient = transport(STALL);
        var answer = impatient.exchange(Call.get(server.address("/")), "")) {
      assertThatThrownBy(() -> answer.body().readAll(100))
          .isInstanceOf(HttpTimeoutException.class)
          .hasMessageContaining("nothing came for 200 ms");
    } finally {
      end.countDown();
    }
  }

  @Test
  void aConnectionThatBreaksOffIsAFailureAndNotAnEnd() throws Exception {
    server.behave(exchange -> {
      exchange.sendResponseHeaders(200, 10);
      exchange.getResponseBody().write(1);
      exchange.getResponseBody().flush();
    });

    try (var answer = transport.exchange(Call.get(server.address("/")), "")) {
      assertThatThrownBy(() -> answer.body().readAll(100))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("broke off");
    }
  }

  @Test
  void noMoreIsReadThanIsWanted() throws Exception {
    server.behave(exchange -> send(exchange, 200, "x".repeat(1_000_000)));

    try (var answer = transport.exchange(Call.get(server.address("/")), "")) {
      assertThat(answer.body().readAll(100)).hasSize(101);
    }
  }

  @Test
  void aRefusedConnectionIsTriedAgainOnceAndNamed() throws Exception {
    int port;
    try (var free = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      port = free.getLocalPort();
    }
    var address = URI.create("http://127.0.0.1:" + port + "/");

    assertThatThrownBy(() ->
            transport.repeat(
                Origin.of(address), Retries.USUAL, () -> transport.exchange(Call.get(address), "")))
        .isInstanceOfSatisfying(
            ImageException.class,
            failure -> assertThat(failure.kind()).isEqualTo(ImageException.Kind.UNAVAILABLE))
        .hasMessageContaining("speak to 'http://127.0.0.1:" + port + "'")
        .hasMessageContaining("connection refused");
    assertThat(pauses).hasSize(1);
  }

  @Test
  void aHostWithoutAnAddressIsNotTriedAgain() {
    var address = URI.create("http://registry.invalid/");

    assertThatThrownBy(() ->
            transport.repeat(
                Origin.of(address), Retries.USUAL, () -> transport.exchange(Call.get(address), "")))
        .hasMessageContaining("speak to 'http://registry.invalid': there is no host of that name");
    assertThat(pauses).isEmpty();
  }
}
