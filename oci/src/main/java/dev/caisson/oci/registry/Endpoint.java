package dev.caisson.oci.registry;

import dev.caisson.oci.ImageException;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One host that serves a registry: the registry itself or a mirror, with the login that belongs to
 * it. Thread-safe.
 */
final class Endpoint {
  private final URI root;
  private final Origin origin;
  private final Transport transport;
  private final Tokens tokens;
  private final Retries retries;
  private final Login login;

  /** What the host last asked for, by scope; "" for any scope. */
  private final Map<String, Challenge> challenges = new ConcurrentHashMap<>();

  /** Finds the login of this host, when it asks for one. */
  interface Login {
    Credential get() throws InterruptedException;
  }

  Endpoint(URI root, Transport transport, Tokens tokens, Retries retries, Login login) {
    this.root = root;
    this.origin = Origin.of(root);
    this.transport = transport;
    this.tokens = tokens;
    this.retries = retries;
    this.login = login;
  }

  Origin origin() {
    return origin;
  }

  /** The address of {@code /v2/} and what follows. */
  URI address(String path) {
    String base = root.toString();
    return URI.create(
        (base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + "/v2/" + path);
  }

  /**
   * Sends a request until there is an answer, with a login if the host wants one.
   *
   * @param scope what it needs rights for: {@code repository:name:pull}
   * @throws ImageException {@code UNAVAILABLE}, {@code DENIED}
   */
  Answer send(Call call, String scope) throws InterruptedException {
    return repeat(() -> withLogin(call, scope));
  }

  /** Like {@link #send}, but once, for what cannot simply be sent again. */
  Answer sendOnce(Call call, String scope) throws IOException, InterruptedException {
    return withLogin(call, scope);
  }

  /** Does something at this host until it succeeds or there is no sense in a further try. */
  Answer repeat(Transport.Attempt attempt) throws InterruptedException {
    return transport.repeat(origin, retries, attempt);
  }

  /**
   * Sends a request that reads, and reads its whole answer; also again, when it breaks off.
   *
   * @param longest bytes the answer may have
   * @param tried what is being done, for the message
   * @throws ImageException {@code NOT_FOUND}, {@code INVALID} if it is too long, {@code
   *     UNAVAILABLE}, {@code DENIED}
   */
  Document read(Call call, String scope, int longest, String tried) throws InterruptedException {
    for (int failed = 1; ; failed++) {
      try (var answer = send(call, scope)) {
        if (answer.status() != Answer.OK) {
          throw answer.failure(tried);
        }
        byte[] bytes = answer.body().readAll(longest);
        if (bytes.length > longest) {
          throw new ImageException(
              ImageException.Kind.INVALID,
              tried,
              "'" + origin.authority() + "' answers with more than " + longest + " bytes",
              "");
        }
        return new Document(bytes, answer.header("Content-Type").orElse(""));
      } catch (IOException e) {
        if (failed >= retries.tries()) {
          throw Transport.unavailable(origin, e);
        }
        transport.pause(origin, failed, retries, e);
      }
    }
  }

  /** Waits before another try. */
  void pause(int failed, IOException trouble) throws InterruptedException {
    transport.pause(origin, failed, retries, trouble);
  }

  Retries retries() {
    return retries;
  }

  private Answer withLogin(Call call, String scope) throws IOException, InterruptedException {
    // An upload may go on at another host, which gets no login of this one.
    if (!Origin.of(call.address()).equals(origin)) {
      return transport.exchange(call, "");
    }
    var answer = transport.exchange(call, known(scope));
    if (answer.status() != Answer.UNAUTHORIZED || !Origin.of(answer.address()).equals(origin)) {
      return answer;
    }
    try (answer) {
      var challenge = usable(answer);
      if (challenge.isEmpty()) {
        throw denied("it refuses without saying how to log in", answer.complaint());
      }
      challenges.put(scope, challenge.get());
      challenges.put("", challenge.get());
      tokens.forget(key(challenge.get(), scope));
    }
    var second = transport.exchange(call, known(scope));
    if (second.status() != Answer.UNAUTHORIZED || !Origin.of(second.address()).equals(origin)) {
      return second;
    }
    try (second) {
      throw denied(
          login.get() instanceof Credential.Anonymous
              ? "it wants a login, and none is known"
              : "it does not accept the " + login.get(),
          second.complaint());
    }
  }

  private ImageException denied(String found, String complaint) {
    return new ImageException(
        ImageException.Kind.DENIED,
        "speak to '" + origin + "'",
        found + (complaint.isEmpty() ? "" : ": " + complaint),
        "log in to '" + origin.authority() + "'");
  }

  private static Optional<Challenge> usable(Answer answer) {
    var offered = Challenge.parse(answer.headers().allValues("WWW-Authenticate"));
    return List.of("bearer", "basic").stream()
        .flatMap(scheme -> offered.stream().filter(each -> each.scheme().equals(scheme)))
        .findFirst();
  }

  /** The header for what the host is known to want; "" if that is nothing. */
  private String known(String scope) throws InterruptedException {
    var challenge =
        Optional.ofNullable(challenges.get(scope))
            .or(() -> Optional.ofNullable(challenges.get("")));
    if (challenge.isEmpty()) {
      return "";
    }
    var credential = login.get();
    if (credential instanceof Credential.RegistryToken(var token)) {
      return "Bearer " + token;
    }
    if (challenge.get().scheme().equals("bearer")) {
      return "Bearer " + tokens.get(key(challenge.get(), scope), credential);
    }
    return credential instanceof Credential.Password password ? password.basic() : "";
  }

  /** The server's own words for the scope count, if they answered this very scope. */
  private Tokens.Key key(Challenge challenge, String scope) {
    var own = challenges.get(scope);
    return Tokens.key(
        origin, challenge, own == null ? scope : own.parameters().getOrDefault("scope", scope));
  }
}
