package dev.caisson.keeper;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The keeper's program: {@code KeeperMain --run-dir DIR -- DAEMON ARGUMENT…}. Ends when the daemon
 * ends with {@link Keeper#STOP}, or after SIGTERM, which it hands on; exit code 0 also when another
 * keeper has the directory.
 */
public final class KeeperMain {
  private static final int USAGE = 2;
  private static final int FAILED = 1;

  private KeeperMain() {}

  /** Runs until the daemon stops for good. */
  public static void main(String[] arguments) {
    if (arguments.length < 4 || !arguments[0].equals("--run-dir") || !arguments[2].equals("--")) {
      System.err.println("usage: keeper --run-dir DIR -- DAEMON [ARGUMENT...]");
      System.exit(USAGE);
    }
    List<String> daemon = Arrays.asList(arguments).subList(3, arguments.length);
    try {
      Keeper.run(Path.of(arguments[1]), daemon);
      System.exit(0);
    } catch (Exception e) {
      System.err.println("keeper of " + arguments[1] + ": " + e);
      System.exit(FAILED);
    }
  }
}
