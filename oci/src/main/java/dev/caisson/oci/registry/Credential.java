package dev.caisson.oci.registry;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** What proves to one registry who asks. Its text never shows the secret. */
public sealed interface Credential {

  /** Nothing: the registry is asked without a name. */
  record Anonymous() implements Credential {}

  /** A name and a password. */
  record Password(String user, String password) implements Credential {
    String basic() {
      return "Basic "
          + Base64.getEncoder()
              .encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
      return "password of '" + user + "'";
    }
  }

  /** What the token service gave at a login, to be changed into tokens that soon run out. */
  record IdentityToken(String token) implements Credential {
    @Override
    public String toString() {
      return "identity token";
    }
  }

  /** What is shown to the registry as it is. */
  record RegistryToken(String token) implements Credential {
    @Override
    public String toString() {
      return "registry token";
    }
  }
}
