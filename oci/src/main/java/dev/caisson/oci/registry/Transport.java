package dev.caisson.oci.registry;

import dev.caisson.oci.CountedStream;
import dev.caisson.oci.ImageException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;

/**
 * Sends requests by HTTP/1.1: follows redirects without carrying a login to another host, gives up
 * on silence, tries again what may pass. Knows nothing of registries. Thread-safe; close it.
 */
final class Transport implements AutoCloseable {
  private static final int MOST_REDIRECTS = 6;
  private static final int CONNECT_TRIES = 2;
  private static final Duration CONNECT = Duration.ofSeconds(20);
  private static final Duration SLICE = Duration.ofMillis(100);

  private final RegistrySettings settings;
  private final Proxies proxies;
  private final Consumer<String> notices;
  private final Sleep sleep;

  /** One for each way to trust: by authority, and "" for all others. */
  private final ConcurrentHashMap<String, HttpClient> clients = new ConcurrentHashMap<>();

  /** How pauses are made; tests only write them down. */
  interface Sleep {
    void of(Duration pause) throws InterruptedException;
  }

  Transport(RegistrySettings settings, Proxies proxies, Consumer<String> notices, Sleep sleep) {
    this.settings = settings;
    this.proxies = proxies;
    this.notices = notices;
    this.sleep = sleep;
  }

  /** One try. */
  interface Attempt {
    Answer run() throws IOException, InterruptedException;
  }

  /**
   * Tries until there is an answer that no further try would change, or tries are used up.
   *
   * @throws ImageException {@code UNAVAILABLE} if the last try ended without an answer
   */
  Answer repeat(Origin origin, Retries retries, Attempt attempt) throws InterruptedException {
    for (int failed = 1; ; failed++) {
      try {
        var answer = attempt.run();
        if (!answer.mayPass() || failed >= retries.tries()) {
          return answer;
        }
        try (answer) {
          var retryAfter = answer.header("Retry-After");
          pause(origin, retries.after(failed, retryAfter, Instant.now()), failure(answer));
        }
      } catch (IOException e) {
        if (failed >= triesOf(e, retries)) {
          throw unavailable(origin, e);
        }
        pause(origin, failed, retries, e);
      }
    }
  }

  private static String failure(Answer answer) throws InterruptedException {
    String complaint = answer.complaint();
    return (answer.status() == Answer.TOO_MANY ? "rate limited" : "status " + answer.status())
        + (complaint.isEmpty() ? "" : ": " + complaint);
  }

  /** A name or certificate does not get better in a moment, a server that starts again does. */
  private static int triesOf(IOException failure, Retries retries) {
    if (failure instanceof SSLException || isUnknownHost(failure)) {
      return 1;
    }
    return failure instanceof ConnectException
        ? Math.min(CONNECT_TRIES, retries.tries())
        : retries.tries();
  }

  private static boolean isUnknownHost(IOException failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof UnresolvedAddressException || each instanceof UnknownHostException) {
        return true;
      }
    }
    return false;
  }

  /** Waits before another try, and says so. */
  void pause(Origin origin, int failed, Retries retries, IOException trouble)
      throws InterruptedException {
    pause(origin, retries.after(failed, Optional.empty(), Instant.now()), trouble(trouble));
  }

  private void pause(Origin origin, Retries.Wait wait, String reason) throws InterruptedException {
    notices.accept(
        "'"
            + origin.authority()
            + "': "
            + reason
            + "; trying again in "
            + wait.pause().toMillis()
            + " ms"
            + (wait.isCapped() ? ", although it asks for a longer pause" : ""));
    sleep.of(wait.pause());
  }

  static ImageException unavailable(Origin origin, IOException failure) {
    return new ImageException(
        ImageException.Kind.UNAVAILABLE,
        "speak to '" + origin + "'",
        trouble(failure),
        failure instanceof SSLException
            ? "put the certificate of its authority into a file"
                + " /etc/docker/certs.d/"
                + origin.authority()
                + "/ca.crt, or allow it as insecure"
            : "",
        failure);
  }

  private static String trouble(IOException failure) {
    if (isUnknownHost(failure)) {
      return "there is no host of that name";
    }
    if (failure instanceof ConnectException && failure.getMessage() == null) {
      return "connection refused";
    }
    return String.valueOf(failure.getMessage());
  }

  /** Decides whether a host may be spoken to at all. */
  interface Guard {
    /** Throws {@link ImageException} if not. */
    void check(Origin origin) throws IOException;
  }

  /**
   * Sends a request once and follows redirects of those that only read.
   *
   * @param authorization shown to the origin of the request, and to no other; "" for none
   */
  Answer exchange(Call call, String authorization) throws IOException, InterruptedException {
    return exchange(call, authorization, _ -> {});
  }

  /** As above; {@code guard} sees each host before it is asked. */
  Answer exchange(Call call, String authorization, Guard guard)
      throws IOException, InterruptedException {
    var first = Origin.of(call.address());
    var next = call;
    for (int redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      var origin = Origin.of(next.address());
      guard.check(origin);
      var answer = exchangeOnce(next, origin.equals(first) ? authorization : "");
      if (!answer.isRedirect() || !call.isReading()) {
        return answer;
      }
      try (answer) {
        next = next.at(target(answer, origin));
      }
    }
    throw refused(first, "it redirects more than " + MOST_REDIRECTS + " times");
  }

  /** Where a redirect leads; a server cannot send us from https to plain http. */
  private URI target(Answer answer, Origin from) {
    URI target;
    Origin to;
    try {
      target = answer.address().resolve(answer.header("Location").orElseThrow());
      to = Origin.of(target);
    } catch (IllegalArgumentException e) {
      throw refused(from, "it redirects to something that is not an address of http or https");
    }
    if (!to.isSecure() && from.isSecure()) {
      throw refused(from, "it redirects from https to '" + to + "'");
    }
    return target;
  }

  private static ImageException refused(Origin origin, String found) {
    return new ImageException(ImageException.Kind.INVALID, "speak to '" + origin + "'", found, "");
  }

  /** Sends a request once; redirects are answers. */
  Answer exchangeOnce(Call call, String authorization) throws IOException, InterruptedException {
    var origin = Origin.of(call.address());
    try (var stream = call.payload().stream().get()) {
      var request = call.request(stream).header("User-Agent", "caisson");
      if (!authorization.isEmpty()) {
        request.header("Authorization", authorization);
      }
      var answer =
          client(origin).sendAsync(request.build(), _ -> new ResponseBody(settings.stall()));
      var response = await(answer, stream);
      return new Answer(call.address(), response.statusCode(), response.headers(), response.body());
    }
  }

  /** Waits for the answer as long as something of the request still moves. */
  private <T> T await(Future<T> answer, CountedStream sent)
      throws IOException, InterruptedException {
    long seen = sent.position();
    long since = System.nanoTime();
    try {
      while (true) {
        try {
          return answer.get(
              Math.min(SLICE.toNanos(), settings.stall().toNanos()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
          if (sent.position() != seen) {
            seen = sent.position();
            since = System.nanoTime();
          } else if (System.nanoTime() - since > settings.stall().toNanos()) {
            throw new HttpTimeoutException("no answer for " + settings.stall().toMillis() + " ms");
          }
        }
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException failure
          ? failure
          : new IOException(String.valueOf(e.getCause()), e);
    } finally {
      if (!answer.isDone()) {
        answer.cancel(true);
      }
    }
  }

  private HttpClient client(Origin origin) {
    if (!origin.isSecure()) {
      return clients.computeIfAbsent("", _ -> builder().build());
    }
    if (settings.isInsecure(origin)) {
      return clients.computeIfAbsent(
          origin.authority(), _ -> builder().sslContext(Trust.ofAnything()).build());
    }
    var context = Trust.of(settings.certificates(), origin.authority());
    return context.isEmpty()
        ? clients.computeIfAbsent("", _ -> builder().build())
        : clients.computeIfAbsent(
            origin.authority(), _ -> builder().sslContext(context.get()).build());
  }

  private HttpClient.Builder builder() {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .followRedirects(HttpClient.Redirect.NEVER)
        .proxy(proxies)
        .connectTimeout(CONNECT);
  }

  /** Ends all connections. */
  @Override
  public void close() {
    clients.values().forEach(HttpClient::shutdownNow);
  }
}
