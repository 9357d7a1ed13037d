package dev.caisson.oci.registry;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A server on loopback that answers as a test tells it, and writes down what it is asked. */
final class TokenService implements AutoCloseable {
  /**
   * What it was asked.
   *
   * @param line method and path with query
   * @param authorization what was shown, "" for nothing
   * @param body what was sent
   */
  record Question(String line, String authorization, String body) {}

  /** Answers one request. */
  interface Behaviour {
    void answer(HttpExchange exchange) throws IOException, InterruptedException;
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Question> questions = new CopyOnWriteArrayList<>();
  private volatile Behaviour behaviour = exchange -> send(exchange, 200, "{}");

  private TokenService(HttpServer server) {
    this.server = server;
  }

  static TokenService start() throws IOException {
    var address = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
    return start(HttpServer.create(address, 0));
  }

  /** Takes a server that is not started. */
  static TokenService start(HttpServer server) {
    var service = new TokenService(server);
    server.setExecutor(service.threads);
    server.createContext("/", service::handle);
    server.start();
    return service;
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      questions.add(
          new Question(
              exchange.getRequestMethod() + " " + exchange.getRequestURI(),
              Optional.ofNullable(exchange.getRequestHeaders().getFirst("Authorization"))
                  .orElse(""),
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
      behaviour.answer(exchange);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static void send(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  static void redirect(HttpExchange exchange, String location) throws IOException {
    exchange.getResponseHeaders().set("Location", location);
    exchange.sendResponseHeaders(307, -1);
  }

  /** Answers like this from now on. */
  TokenService behave(Behaviour behaviour) {
    this.behaviour = behaviour;
    return this;
  }

  int port() {
    return server.getAddress().getPort();
  }

  URI address(String path) {
    return URI.create("http://127.0.0.1:" + port() + path);
  }

  Origin origin() {
    return Origin.of(address("/"));
  }

  List<Question> questions() {
    return List.copyOf(questions);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
