package dev.caisson.library.protocol;

import java.util.Map;

/**
 * Whose logins a call uses: they are found, and helper programs are run, in this environment. It
 * goes over the node's own socket and is neither kept nor logged.
 *
 * @param home directory of the user
 * @param environment of the program that calls
 */
public record User(String home, Map<String, String> environment) {

  /** Of this program. */
  public static User own() {
    var environment = System.getenv();
    return new User(environment.getOrDefault("HOME", System.getProperty("user.home")), environment);
  }

  /** Names no values, which may be secret. */
  @Override
  public String toString() {
    return "user with home '" + home + "'";
  }
}
