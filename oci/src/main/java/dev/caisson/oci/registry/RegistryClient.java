package dev.caisson.oci.registry;

import dev.caisson.oci.ImageException;
import dev.caisson.oci.Reference;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The hosts that one pull or push speaks to, with the logins of the user who asked: connections and
 * tokens are shared within it and with nobody else. Thread-safe; close it.
 */
final class RegistryClient implements AutoCloseable {
  /** The host behind the name {@code docker.io}. */
  private static final String HUB = "registry-1.docker.io";

  private final RegistrySettings settings;
  private final Credentials credentials;
  private final Consumer<String> notices;
  private final Transport transport;
  private final Tokens tokens;
  private final ConcurrentHashMap<URI, Endpoint> endpoints = new ConcurrentHashMap<>();

  RegistryClient(
      RegistrySettings settings,
      Credentials credentials,
      Proxies proxies,
      Consumer<String> notices,
      Transport.Sleep sleep) {
    this.settings = settings;
    this.credentials = credentials;
    this.notices = notices;
    this.transport = new Transport(settings, proxies, notices, sleep);
    this.tokens = new Tokens(transport, settings, Clock.systemUTC());
  }

  Transport transport() {
    return transport;
  }

  /** Where an image can be pulled from, in the order in which to ask. */
  List<Source> sources(Reference reference, Mirror.Capability needed) throws InterruptedException {
    var sources = new ArrayList<Source>();
    String scope = "repository:" + reference.repository() + ":pull";
    for (Mirror mirror : settings.mirrors().getOrDefault(reference.registry(), List.of())) {
      if (mirror.capabilities().contains(needed)) {
        String query = "?ns=" + URLEncoder.encode(reference.registry(), StandardCharsets.UTF_8);
        sources.add(new Source(endpoint(mirror), reference.repository(), query, scope));
      }
    }
    sources.add(new Source(endpoint(reference), reference.repository(), "", scope));
    return sources;
  }

  private Endpoint endpoint(Mirror mirror) {
    return endpoints.computeIfAbsent(
        mirror.address(),
        root -> {
          String host = Origin.of(root).authority();
          return new Endpoint(
              root,
              transport,
              tokens,
              // A mirror that is down must not hold up who can be served without it.
              settings.retries().withTries(Math.min(2, settings.retries().tries())),
              () ->
                  mirror.credential().isPresent()
                      ? mirror.credential().get()
                      : credentials.find(host, "", notices));
        });
  }

  /** The registry itself. */
  Endpoint endpoint(Reference reference) throws InterruptedException {
    var root = root(reference.registry());
    return endpoints.computeIfAbsent(
        root,
        address ->
            new Endpoint(
                address,
                transport,
                tokens,
                settings.retries(),
                () -> credentials.find(reference.registry(), reference.repository(), notices)));
  }

  /** By https, except where plain http is allowed and spoken. */
  private URI root(String registry) throws InterruptedException {
    String host = registry.equals("docker.io") ? HUB : registry;
    var secure = URI.create("https://" + host);
    if (!settings.allowsPlain(Origin.of(secure))) {
      return secure;
    }
    var plain = URI.create("http://" + host);
    return endpoints.containsKey(plain) || speaksPlain(plain) ? plain : secure;
  }

  private boolean speaksPlain(URI root) throws InterruptedException {
    try (var answer = transport.exchangeOnce(Call.get(root.resolve("/v2/")), "")) {
      // What servers of https say to who speaks http.
      return answer.status() != Answer.BAD_REQUEST;
    } catch (ConnectException e) {
      // Nobody is there; the failure is told by the request itself.
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Something that one host may be able to do; an IOException is not the host's. */
  interface Attempt<H, T> {
    T at(H host) throws IOException, InterruptedException;
  }

  /**
   * Asks one host after the other until one serves.
   *
   * @throws ImageException what the last one, the registry itself, said, and what mirrors said
   */
  static <H, T> T first(List<H> hosts, Attempt<H, T> attempt)
      throws IOException, InterruptedException {
    var failures = new ArrayList<ImageException>();
    for (H host : hosts) {
      try {
        return attempt.at(host);
      } catch (ImageException e) {
        failures.add(e);
      }
    }
    var last = failures.removeLast();
    if (failures.isEmpty()) {
      throw last;
    }
    var found = new StringBuilder(last.found());
    for (ImageException each : failures) {
      found.append("; and before, by a mirror: ").append(each.tried()).append(": ");
      found.append(each.found());
    }
    throw new ImageException(last.kind(), last.tried(), found.toString(), last.advice(), last);
  }

  /** Ends all connections. */
  @Override
  public void close() {
    transport.close();
  }
}
