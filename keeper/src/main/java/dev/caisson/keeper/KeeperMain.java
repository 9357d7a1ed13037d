package dev.caisson.keeper;

import java.nio.file.Path;
import java.util.List;

/**
 * The keeper's program: {@code KeeperMain --run-dir DIR [--adopt] -- DAEMON ARGUMENT…}. Ends when
 * the daemon ends with {@link Keeper#STOP}, or after SIGTERM, which it hands on; exit code 0 also
 * when another keeper has the directory. With {@code --adopt} it was started by a daemon whose
 * keeper was killed, at the other end of descriptor 3, and takes over what that daemon holds.
 */
public final class KeeperMain {
  /** Before the daemon's command, by which the daemon starts another keeper like its own. */
  static final String RUN_DIRECTORY = "--run-dir";

  static final String ADOPT = "--adopt";

  private static final int USAGE = 2;
  private static final int FAILED = 1;

  private KeeperMain() {}

  /** Runs until the daemon stops for good. */
  public static void main(String[] arguments) {
    var words = List.of(arguments);
    boolean adopts = words.size() > 2 && words.get(2).equals(ADOPT);
    int daemonAt = adopts ? 4 : 3;
    if (words.size() <= daemonAt
        || !words.getFirst().equals(RUN_DIRECTORY)
        || !words.get(daemonAt - 1).equals("--")) {
      System.err.println("usage: keeper --run-dir DIR [--adopt] -- DAEMON [ARGUMENT...]");
      System.exit(USAGE);
    }
    try {
      Keeper.run(Path.of(words.get(1)), adopts, words.subList(daemonAt, words.size()));
      System.exit(0);
    } catch (Exception e) {
      System.err.println("keeper of " + words.get(1) + ": " + e);
      System.exit(FAILED);
    }
  }
}
