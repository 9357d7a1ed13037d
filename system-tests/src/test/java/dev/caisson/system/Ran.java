package dev.caisson.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A program that was run to its end.
 *
 * @param status its exit code
 * @param out what it wrote to stdout
 * @param err what it wrote to stderr
 */
public record Ran(int status, String out, String err) {
  private static final long LIMIT_MINUTES = 3;

  /** Runs a program with this environment and no other, with nothing on its stdin. */
  public static Ran of(Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    var out = Files.createTempFile("ran-", ".out");
    var err = Files.createTempFile("ran-", ".err");
    try {
      var builder =
          new ProcessBuilder(command)
              .redirectInput(Path.of("/dev/null").toFile())
              .redirectOutput(out.toFile())
              .redirectError(err.toFile());
      builder.environment().clear();
      builder.environment().putAll(environment);
      var process = builder.start();
      try {
        if (!process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)) {
          throw new IllegalStateException(
              command + " did not end; stderr: " + Files.readString(err));
        }
      } finally {
        process.destroyForcibly();
      }
      return new Ran(process.exitValue(), Files.readString(out), Files.readString(err));
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }
}
