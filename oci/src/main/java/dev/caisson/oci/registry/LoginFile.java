package dev.caisson.oci.registry;

import dev.caisson.json.Json;
import dev.caisson.json.JsonException;
import dev.caisson.json.JsonLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What one of docker's {@code config.json} or containers' {@code auth.json} says about logins.
 *
 * <p>Shape: {@code {"auths": {"host": {"auth": base64 of "user:password", "identitytoken": …}},
 * "credHelpers": {"host": helper}, "credsStore": helper}}; sections may be null or missing. A
 * broken entry is left out and told of by file and key; no message shows what stands in it. Source:
 * containers-auth.json(5); docker-login, "Credential stores".
 *
 * @param logins by server as it is kept, see {@link #key}
 * @param helpers name of a helper by server
 * @param store name of the helper for all others, "" for none
 */
record LoginFile(Map<String, Credential> logins, Map<String, String> helpers, String store) {
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
  private static final LoginFile EMPTY = new LoginFile(Map.of(), Map.of(), "");

  LoginFile {
    logins = Map.copyOf(logins);
    helpers = Map.copyOf(helpers);
  }

  /** Reads a file; one that is not there, or is not JSON, says nothing. */
  static LoginFile read(Path file, Consumer<String> warnings) {
    byte[] document;
    try {
      if (!Files.exists(file)) {
        return EMPTY;
      }
      document = Files.readAllBytes(file);
    } catch (IOException e) {
      warnings.accept("login file '" + file + "' cannot be read, so it is not used");
      return EMPTY;
    }
    if (Arrays.equals(document, 0, Math.min(3, document.length), BYTE_ORDER_MARK, 0, 3)) {
      document = Arrays.copyOfRange(document, 3, document.length);
    }
    if (new String(document, StandardCharsets.UTF_8).isBlank()) {
      return EMPTY;
    }
    try {
      var tree = Json.readTree(document, file.toString(), JsonLimits.USUAL);
      return tree instanceof Map<?, ?> sections
          ? new Reading(file, warnings).read(sections)
          : whole(file, warnings, "is not an object");
    } catch (JsonException e) {
      // The message of a parser may quote a secret; the place is enough.
      return whole(file, warnings, "is not JSON at line " + e.line() + ", column " + e.column());
    }
  }

  private static LoginFile whole(Path file, Consumer<String> warnings, String trouble) {
    warnings.accept("login file '" + file + "' " + trouble + ", so it is not used");
    return EMPTY;
  }

  /**
   * The form of a server by which entries are found: docker writes some as addresses with a path
   * from older days, {@code https://index.docker.io/v1/}. A path without a scheme narrows the entry
   * to repositories below it.
   */
  static String key(String server) {
    int scheme = server.indexOf("://");
    if (scheme < 0) {
      String bare = server.endsWith("/") ? server.substring(0, server.length() - 1) : server;
      return hub(bare);
    }
    String rest = server.substring(scheme + 3);
    int slash = rest.indexOf('/');
    return hub(slash < 0 ? rest : rest.substring(0, slash));
  }

  private static String hub(String host) {
    return List.of("index.docker.io", "registry-1.docker.io").contains(host) ? "docker.io" : host;
  }

  private record Reading(Path file, Consumer<String> warnings) {
    LoginFile read(Map<?, ?> sections) {
      var logins = new LinkedHashMap<String, Credential>();
      section(sections, "auths")
          .forEach((server, value) ->
              login(server, value)
                  .ifPresent(login -> logins.putIfAbsent(key(server.toString()), login)));
      var helpers = new LinkedHashMap<String, String>();
      section(sections, "credHelpers")
          .forEach((server, value) -> {
            if (value instanceof String helper) {
              if (!helper.isEmpty()) {
                helpers.putIfAbsent(key(server.toString()), helper);
              }
            } else if (value != null) {
              warn("credHelpers." + server, "is not a text");
            }
          });
      return new LoginFile(logins, helpers, text(sections, "credsStore", "credsStore"));
    }

    private Map<?, ?> section(Map<?, ?> sections, String name) {
      var value = sections.get(name);
      if (value instanceof Map<?, ?> section) {
        return section;
      }
      if (value != null) {
        warn(name, "is not an object");
      }
      return Map.of();
    }

    private Optional<Credential> login(Object server, Object value) {
      String key = "auths." + server;
      if (value == null) {
        return Optional.empty();
      }
      if (!(value instanceof Map<?, ?> entry)) {
        warn(key, "is not an object");
        return Optional.empty();
      }
      String identity = text(entry, "identitytoken", key);
      if (!identity.isEmpty()) {
        return Optional.of(new Credential.IdentityToken(identity));
      }
      String token = text(entry, "registrytoken", key);
      if (!token.isEmpty()) {
        return Optional.of(new Credential.RegistryToken(token));
      }
      String auth = text(entry, "auth", key);
      if (!auth.isEmpty()) {
        return decode(auth, key);
      }
      String user = text(entry, "username", key);
      String password = text(entry, "password", key);
      return user.isEmpty() || password.isEmpty()
          ? Optional.empty()
          : Optional.of(new Credential.Password(user, password));
    }

    private Optional<Credential> decode(String auth, String key) {
      String login;
      try {
        login = new String(Base64.getDecoder().decode(auth.strip()), StandardCharsets.UTF_8);
      } catch (IllegalArgumentException e) {
        warn(key, "is not base64");
        return Optional.empty();
      }
      int colon = login.indexOf(':');
      if (colon <= 0) {
        warn(key, "is not a name and a password");
        return Optional.empty();
      }
      // Old versions of docker pad with zero bytes.
      String password = login.substring(colon + 1).replaceAll("\0+$", "");
      return Optional.of(new Credential.Password(login.substring(0, colon), password));
    }

    private String text(Map<?, ?> entry, String name, String key) {
      var value = entry.get(name);
      if (value != null && !(value instanceof String)) {
        warn(key.equals(name) ? name : key + "." + name, "is not a text");
      }
      return value instanceof String text ? text : "";
    }

    private void warn(String key, String trouble) {
      warnings.accept(
          "login file '" + file + "': '" + key + "' " + trouble + ", so this entry is not used");
    }
  }
}
