package dev.caisson.oci.registry;

import dev.caisson.json.Json;
import dev.caisson.json.JsonException;
import dev.caisson.json.JsonLimits;
import dev.caisson.oci.ImageException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a server answered. Close it.
 *
 * @param address of the request it answers, after redirects
 * @param status of HTTP
 * @param headers of HTTP
 * @param body still to be read
 */
record Answer(URI address, int status, HttpHeaders headers, ResponseBody body)
    implements AutoCloseable {
  static final int OK = 200;
  static final int CREATED = 201;
  static final int ACCEPTED = 202;
  static final int NO_CONTENT = 204;
  static final int PARTIAL = 206;
  static final int BAD_REQUEST = 400;
  static final int UNAUTHORIZED = 401;
  static final int FORBIDDEN = 403;
  static final int NOT_FOUND = 404;
  static final int TIMEOUT = 408;
  static final int TOO_LARGE = 413;
  static final int WRONG_RANGE = 416;
  static final int TOO_MANY = 429;
  static final int SERVER_ERROR = 500;
  static final int NOT_IMPLEMENTED = 501;

  private static final int LONGEST_MESSAGE = 64 * 1024;
  private static final int LONGEST_SHOWN = 300;

  Optional<String> header(String name) {
    return headers.firstValue(name);
  }

  boolean isRedirect() {
    return List.of(301, 302, 303, 307, 308).contains(status) && header("Location").isPresent();
  }

  /** Whether the same request may succeed later. */
  boolean mayPass() {
    return status == TOO_MANY
        || status == TIMEOUT
        || (status >= SERVER_ERROR && status != NOT_IMPLEMENTED);
  }

  /** What this answer means for who wanted something else; reads the body. */
  ImageException failure(String tried) throws InterruptedException {
    String complaint = complaint();
    String words = complaint.isEmpty() ? "" : ": " + complaint;
    String host = "'" + Origin.of(address).authority() + "'";
    return switch (status) {
      case NOT_FOUND ->
          new ImageException(
              ImageException.Kind.NOT_FOUND, tried, host + " does not have it" + words, "");
      case UNAUTHORIZED, FORBIDDEN ->
          new ImageException(
              ImageException.Kind.DENIED,
              tried,
              host + " refuses it (status " + status + ")" + words,
              "log in there with an account that may do it");
      case TOO_MANY ->
          new ImageException(
              ImageException.Kind.UNAVAILABLE,
              tried,
              "rate limited by " + host + words,
              "try again later, or log in there: accounts often have higher limits");
      default ->
          new ImageException(
              ImageException.Kind.UNAVAILABLE,
              tried,
              host + " answers with status " + status + words,
              "");
    };
  }

  /** What went wrong in the server's own words, fit to be shown; reads the body. */
  String complaint() throws InterruptedException {
    String words;
    try {
      words = words(body.readAll(LONGEST_MESSAGE));
    } catch (IOException e) {
      words = "";
    }
    // What a server sends must not steer the terminal it is shown on.
    String shown = words.replaceAll("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]+", " ").strip();
    return shown.length() > LONGEST_SHOWN ? shown.substring(0, LONGEST_SHOWN) + "…" : shown;
  }

  private static String words(byte[] document) {
    try {
      if (Json.readTree(document, "", JsonLimits.USUAL) instanceof Map<?, ?> tree) {
        if (tree.get("errors") instanceof List<?> errors
            && !errors.isEmpty()
            && errors.getFirst() instanceof Map<?, ?> error) {
          for (String key : List.of("message", "code")) {
            if (error.get(key) instanceof String message && !message.isBlank()) {
              return message;
            }
          }
        }
        for (String key : List.of("message", "error_description", "error", "details")) {
          if (tree.get(key) instanceof String message) {
            return message;
          }
        }
      }
      return "";
    } catch (JsonException e) {
      return "";
    }
  }

  @Override
  public void close() {
    body.close();
  }
}
