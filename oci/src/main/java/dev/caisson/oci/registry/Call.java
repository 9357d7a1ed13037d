package dev.caisson.oci.registry;

import dev.caisson.oci.CountedStream;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A request before it has a login.
 *
 * @param method of HTTP
 * @param address where it goes
 * @param headers besides the login
 * @param payload what is sent
 */
record Call(String method, URI address, Map<String, String> headers, Payload payload) {

  /**
   * What is sent, as often as it is asked for.
   *
   * @param length its bytes, 0 for nothing
   * @param stream opens it; {@link CountedStream} tells how far it has been taken
   */
  record Payload(long length, Supplier<CountedStream> stream) {
    static final Payload NONE =
        new Payload(0, () -> new CountedStream(InputStream.nullInputStream()));

    static Payload of(byte[] bytes) {
      return new Payload(
          bytes.length, () -> new CountedStream(new java.io.ByteArrayInputStream(bytes)));
    }

    static Payload of(String form) {
      return of(form.getBytes(StandardCharsets.US_ASCII));
    }
  }

  static Call get(URI address) {
    return new Call("GET", address, Map.of(), Payload.NONE);
  }

  static Call head(URI address) {
    return new Call("HEAD", address, Map.of(), Payload.NONE);
  }

  static Call send(String method, URI address, String type, Payload payload) {
    return new Call(
        method, address, type.isEmpty() ? Map.of() : Map.of("Content-Type", type), payload);
  }

  Call with(String name, String value) {
    var more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new Call(method, address, more, payload);
  }

  Call at(URI other) {
    return new Call(method, other, headers, payload);
  }

  boolean isReading() {
    return method.equals("GET") || method.equals("HEAD");
  }

  HttpRequest.Builder request(CountedStream stream) {
    var publisher =
        payload.length() == 0
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.fromPublisher(
                HttpRequest.BodyPublishers.ofInputStream(() -> stream), payload.length());
    var builder = HttpRequest.newBuilder(address).method(method, publisher);
    headers.forEach(builder::header);
    return builder;
  }
}
