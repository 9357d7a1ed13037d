package dev.caisson.oci.registry;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.caisson.oci.Digest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A registry on loopback that serves what it is given, takes what it is sent, writes down what it
 * is asked, and misbehaves as a test tells it.
 */
final class FakeRegistry implements AutoCloseable {
  private static final Pattern MANIFEST = Pattern.compile("/v2/(.+)/manifests/([^/]+)");
  private static final Pattern BLOB = Pattern.compile("/v2/(.+)/blobs/(sha256:[0-9a-f]{64})");
  private static final Pattern UPLOAD = Pattern.compile("/v2/(.+)/blobs/uploads/(.*)");
  private static final Pattern FROM = Pattern.compile("bytes=(\\d+)-");

  /**
   * What it was asked.
   *
   * @param line method and path with query
   * @param authorization what was shown, "" for nothing
   * @param range of bytes, "" for all
   */
  record Question(String line, String authorization, String range) {}

  /** Answers a request instead of the registry; false leaves it to the registry. */
  interface Trick {
    boolean answer(HttpExchange exchange) throws IOException;
  }

  private record Stored(String type, byte[] bytes) {}

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Stored> manifests = new ConcurrentHashMap<>();
  private final Map<Digest, byte[]> blobs = new ConcurrentHashMap<>();
  private final List<Question> questions = new CopyOnWriteArrayList<>();
  private final List<Trick> tricks = new CopyOnWriteArrayList<>();

  private FakeRegistry(HttpServer server) {
    this.server = server;
  }

  static FakeRegistry start() throws IOException {
    var address = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
    var registry = new FakeRegistry(HttpServer.create(address, 0));
    registry.server.setExecutor(registry.threads);
    registry.server.createContext("/", registry::handle);
    registry.server.start();
    return registry;
  }

  /** Host and port, as in names of images. */
  String host() {
    return "127.0.0.1:" + server.getAddress().getPort();
  }

  URI address() {
    return URI.create("http://" + host());
  }

  /** Keeps a manifest or a list under its digest and under a tag of any repository. */
  Digest putManifest(String tag, String type, byte[] document) {
    var digest = Digest.of(document);
    manifests.put(digest.value(), new Stored(type, document));
    manifests.put(tag, new Stored(type, document));
    return digest;
  }

  Digest putBlob(byte[] content) {
    var digest = Digest.of(content);
    blobs.put(digest, content);
    return digest;
  }

  Optional<byte[]> blob(Digest digest) {
    return Optional.ofNullable(blobs.get(digest));
  }

  Optional<byte[]> manifest(String tag) {
    return Optional.ofNullable(manifests.get(tag)).map(Stored::bytes);
  }

  /** Later tricks are asked first. */
  void play(Trick trick) {
    tricks.addFirst(trick);
  }

  List<Question> questions() {
    return List.copyOf(questions);
  }

  /** The questions whose line has {@code part} in it. */
  List<Question> questions(String part) {
    return questions.stream().filter(each -> each.line().contains(part)).toList();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      var uri = exchange.getRequestURI();
      questions.add(
          new Question(
              exchange.getRequestMethod() + " " + uri,
              header(exchange, "Authorization"),
              header(exchange, "Range")));
      for (Trick trick : tricks) {
        if (trick.answer(exchange)) {
          return;
        }
      }
      serve(exchange, uri.getPath());
    }
  }

  static String header(HttpExchange exchange, String name) {
    return Optional.ofNullable(exchange.getRequestHeaders().getFirst(name)).orElse("");
  }

  private void serve(HttpExchange exchange, String path) throws IOException {
    var upload = UPLOAD.matcher(path);
    var blob = BLOB.matcher(path);
    var manifest = MANIFEST.matcher(path);
    if (path.equals("/v2/")) {
      send(exchange, 200, "{}");
    } else if (upload.matches()) {
      takeBlob(exchange, upload);
    } else if (blob.matches()) {
      serveBlob(exchange, new Digest(blob.group(2)));
    } else if (manifest.matches()) {
      if (exchange.getRequestMethod().equals("PUT")) {
        takeManifest(exchange, manifest.group(2));
      } else {
        serveManifest(exchange, manifest.group(2));
      }
    } else {
      send(exchange, 404, "{\"errors\":[{\"code\":\"UNKNOWN\",\"message\":\"no such page\"}]}");
    }
  }

  private void serveManifest(HttpExchange exchange, String reference) throws IOException {
    var stored = manifests.get(reference);
    if (stored == null) {
      send(
          exchange,
          404,
          "{\"errors\":[{\"code\":\"MANIFEST_UNKNOWN\",\"message\":\"manifest unknown\"}]}");
      return;
    }
    exchange.getResponseHeaders().set("Content-Type", stored.type());
    exchange.getResponseHeaders().set("Docker-Content-Digest", Digest.of(stored.bytes()).value());
    send(exchange, 200, stored.bytes());
  }

  private void serveBlob(HttpExchange exchange, Digest digest) throws IOException {
    var content = blobs.get(digest);
    if (content == null) {
      send(
          exchange, 404, "{\"errors\":[{\"code\":\"BLOB_UNKNOWN\",\"message\":\"blob unknown\"}]}");
      return;
    }
    var range = FROM.matcher(header(exchange, "Range"));
    if (range.matches()) {
      int from = Integer.parseInt(range.group(1));
      exchange
          .getResponseHeaders()
          .set(
              "Content-Range", "bytes " + from + "-" + (content.length - 1) + "/" + content.length);
      send(exchange, 206, Arrays.copyOfRange(content, from, content.length));
    } else {
      send(exchange, 200, content);
    }
  }

  private void takeBlob(HttpExchange exchange, Matcher upload) throws IOException {
    String query = Optional.ofNullable(exchange.getRequestURI().getQuery()).orElse("");
    if (exchange.getRequestMethod().equals("POST")) {
      var mounted = Pattern.compile("mount=(sha256:[0-9a-f]+)").matcher(query);
      if (mounted.find() && blobs.containsKey(new Digest(mounted.group(1)))) {
        send(exchange, 201, "");
        return;
      }
      exchange.getResponseHeaders().set("Location", upload.group(0) + "session?state=1");
      send(exchange, 202, "");
      return;
    }
    byte[] content = exchange.getRequestBody().readAllBytes();
    boolean right = query.endsWith("digest=" + Digest.of(content));
    if (right) {
      putBlob(content);
    }
    send(exchange, right ? 201 : 400, "");
  }

  private void takeManifest(HttpExchange exchange, String reference) throws IOException {
    byte[] document = exchange.getRequestBody().readAllBytes();
    putManifest(reference, header(exchange, "Content-Type"), document);
    send(exchange, 201, "");
  }

  static void send(HttpExchange exchange, int status, String text) throws IOException {
    send(exchange, status, text.getBytes(StandardCharsets.UTF_8));
  }

  static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.getRequestBody().readAllBytes();
    boolean head = exchange.getRequestMethod().equals("HEAD");
    if (head) {
      exchange.getResponseHeaders().set("Content-Length", String.valueOf(body.length));
    }
    exchange.sendResponseHeaders(status, head || body.length == 0 ? -1 : body.length);
    if (!head && body.length > 0) {
      exchange.getResponseBody().write(body);
    }
  }

  /** Promises all of {@code body} and breaks the connection after its first {@code count} bytes. */
  static void sendPart(HttpExchange exchange, int status, byte[] body, int count)
      throws IOException {
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body, 0, count);
    exchange.getResponseBody().flush();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
