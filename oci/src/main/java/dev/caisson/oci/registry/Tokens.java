package dev.caisson.oci.registry;

import dev.caisson.json.Json;
import dev.caisson.json.JsonException;
import dev.caisson.json.JsonLimits;
import dev.caisson.oci.ImageException;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tokens of token services, kept until shortly before they run out. Source: distribution project,
 * "Token Authentication" and "OAuth2 Token Authentication". Thread-safe.
 */
final class Tokens {
  private static final Duration USUAL_LIFE = Duration.ofSeconds(60);
  private static final Duration LONGEST_LIFE = Duration.ofDays(1);
  private static final Duration LONGEST_MARGIN = Duration.ofSeconds(10);
  private static final int MARGIN_PART = 4;
  private static final int LONGEST_ANSWER = 1 << 20;

  private final Transport transport;
  private final RegistrySettings settings;
  private final Clock clock;
  private final Map<Key, Token> tokens = new ConcurrentHashMap<>();

  /** What a token is good for, and whose it is: two hosts never share one. */
  record Key(Origin registry, String realm, String service, String scope) {}

  private record Token(String value, Instant renewal) {}

  Tokens(Transport transport, RegistrySettings settings, Clock clock) {
    this.transport = transport;
    this.settings = settings;
    this.clock = clock;
  }

  /** What to ask for when a registry answers with this challenge. */
  static Key key(Origin registry, Challenge challenge, String scope) {
    var parameters = challenge.parameters();
    return new Key(
        registry,
        parameters.getOrDefault("realm", ""),
        parameters.getOrDefault("service", ""),
        scope);
  }

  /** Forgets a token that the registry did not accept. */
  void forget(Key key) {
    tokens.remove(key);
  }

  /**
   * A token, from the service if there is none that lasts.
   *
   * @throws ImageException {@code DENIED} if the login is refused, {@code UNAVAILABLE}
   */
  String get(Key key, Credential credential) throws InterruptedException {
    var known = Optional.ofNullable(tokens.get(key));
    if (known.isPresent() && clock.instant().isBefore(known.get().renewal())) {
      return known.get().value();
    }
    var token = fetch(key, credential);
    tokens.put(key, token);
    return token.value();
  }

  private Token fetch(Key key, Credential credential) throws InterruptedException {
    var realm = realm(key);
    var asked = clock.instant();
    try (var answer =
        transport.repeat(
            Origin.of(realm),
            settings.retries(),
            () -> transport.exchange(call(realm, key, credential), authorization(credential)))) {
      if (answer.status() == Answer.UNAUTHORIZED
          || answer.status() == Answer.FORBIDDEN
          || answer.status() == Answer.BAD_REQUEST) {
        throw failure(
            ImageException.Kind.DENIED,
            key,
            "the token service refuses: " + answer.status() + " " + answer.complaint(),
            "log in to '" + key.registry().authority() + "' again");
      }
      if (answer.status() != Answer.OK) {
        throw failure(
            ImageException.Kind.UNAVAILABLE,
            key,
            (answer.status() == Answer.TOO_MANY
                    ? "rate limited by '" + Origin.of(realm).authority() + "'"
                    : "the token service answers with status " + answer.status())
                + ": "
                + answer.complaint(),
            "try again later");
      }
      return token(key, answer.body().readAll(LONGEST_ANSWER), asked);
    } catch (IOException e) {
      throw Transport.unavailable(Origin.of(realm), e);
    }
  }

  /** A realm is what a stranger tells us to send a login to. */
  private static URI realm(Key key) {
    try {
      var realm = URI.create(key.realm());
      if (Origin.of(realm).isSecure() || !key.registry().isSecure()) {
        return realm;
      }
      throw failure(
          ImageException.Kind.DENIED, key, "its token service is not reached by https", "");
    } catch (IllegalArgumentException e) {
      throw failure(
          ImageException.Kind.DENIED, key, "it names no token service that can be asked", "");
    }
  }

  private static Call call(URI realm, Key key, Credential credential) {
    return switch (credential) {
      case Credential.IdentityToken(var token) ->
          Call.send(
              "POST",
              realm,
              "application/x-www-form-urlencoded",
              Call.Payload.of(
                  "grant_type=refresh_token&client_id=caisson&service="
                      + encoded(key.service())
                      + "&scope="
                      + encoded(key.scope())
                      + "&refresh_token="
                      + encoded(token)));
      case Credential.Password(var user, _) -> Call.get(query(realm, key, user));
      case Credential.Anonymous _, Credential.RegistryToken _ -> Call.get(query(realm, key, ""));
    };
  }

  private static URI query(URI realm, Key key, String user) {
    var query = new StringBuilder();
    if (!key.service().isEmpty()) {
      query.append("&service=").append(encoded(key.service()));
    }
    for (String scope : key.scope().split(" ")) {
      query.append("&scope=").append(encoded(scope));
    }
    if (!user.isEmpty()) {
      query.append("&account=").append(encoded(user));
    }
    String separator = realm.getRawQuery() == null ? "?" : "&";
    return URI.create(realm + separator + query.substring(1));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String authorization(Credential credential) {
    return credential instanceof Credential.Password password ? password.basic() : "";
  }

  private Token token(Key key, byte[] document, Instant asked) {
    Map<?, ?> answer;
    try {
      answer =
          Json.readTree(document, "", JsonLimits.USUAL) instanceof Map<?, ?> tree ? tree : Map.of();
    } catch (JsonException e) {
      answer = Map.of();
    }
    for (String name : List.of("token", "access_token")) {
      if (answer.get(name) instanceof String value && !value.isBlank()) {
        return new Token(value, renewal(asked, answer.get("expires_in")));
      }
    }
    throw failure(
        ImageException.Kind.DENIED, key, "the token service sent no token", "try again later");
  }

  /** Some services write the seconds as text; none, or none above 0, means a minute. */
  private static Instant renewal(Instant asked, @org.jspecify.annotations.Nullable Object seconds) {
    var life = USUAL_LIFE;
    String text = String.valueOf(seconds);
    if (text.matches("[0-9]{1,9}") && Integer.parseInt(text) > 0) {
      life = Duration.ofSeconds(Integer.parseInt(text));
    }
    life = life.compareTo(LONGEST_LIFE) > 0 ? LONGEST_LIFE : life;
    var margin = life.dividedBy(MARGIN_PART);
    return asked.plus(life).minus(margin.compareTo(LONGEST_MARGIN) > 0 ? LONGEST_MARGIN : margin);
  }

  private static ImageException failure(
      ImageException.Kind kind, Key key, String found, String advice) {
    return new ImageException(
        kind, "get a token for '" + key.registry().authority() + "'", found, advice);
  }
}
