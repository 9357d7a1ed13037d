package dev.caisson.library;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Where a node keeps its state.
 *
 * @param state what survives a power cut: images, containers, logs
 * @param run what survives the daemon but not a reboot: sockets, running tasks
 */
public record Root(Path state, Path run) {
  private static final Path USUAL_STATE = Path.of("/var/lib/caisson");
  private static final Path USUAL_RUN = Path.of("/run/caisson");

  /**
   * Longest run directory whose sockets still fit into a {@code sockaddr_un} (108 bytes, unix(7)).
   */
  private static final int LONGEST_RUN = 80;

  /** Checks that both paths are absolute. */
  public Root {
    if (!state.isAbsolute() || !run.isAbsolute()) {
      throw new IllegalArgumentException(
          "state root '" + state + "' with run directory '" + run + "': give absolute paths");
    }
  }

  /** The state root of the machine, or the one that {@code CAISSON_ROOT} names. */
  public static Root usual() {
    var named = System.getenv("CAISSON_ROOT");
    return named == null || named.isEmpty() ? new Root(USUAL_STATE, USUAL_RUN) : at(Path.of(named));
  }

  /**
   * A state root of its own. Its run directory lies inside, or, where the path is too long for a
   * socket address, under a hashed name in {@code /run/caisson}.
   */
  public static Root at(Path directory) {
    if (directory.toString().isEmpty()) {
      throw new IllegalArgumentException("state root '': the path is empty; name a directory");
    }
    var state = directory.toAbsolutePath().normalize();
    if (state.equals(USUAL_STATE)) {
      return new Root(USUAL_STATE, USUAL_RUN);
    }
    var inside = state.resolve("run");
    var bytes = inside.toString().getBytes(StandardCharsets.UTF_8);
    return new Root(
        state,
        bytes.length <= LONGEST_RUN ? inside : USUAL_RUN.resolve("roots").resolve(hash(state)));
  }

  /** The socket the daemon listens on. */
  public Path socket() {
    return run.resolve("caisson.sock");
  }

  /** Where the daemon writes what it has to say. */
  public Path daemonLog() {
    return state.resolve("daemon.log");
  }

  private static String hash(Path path) {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of()
          .formatHex(digest.digest(path.toString().getBytes(StandardCharsets.UTF_8)), 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
