package dev.caisson.engine.process;

import dev.caisson.linux.CgroupMounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Not a test: {@code make bench} runs it, and no other target does. What the engine adds to the
 * low-level runtime, in pairs, one after the other, so that a busy machine slows both.
 */
@Tag("root")
class EngineBench {
  private static final int WARM_UP = 20;
  private static final int PAIRS = 60;

  @TempDir Path directory;

  @Test
  void aTaskFromItsMakingToItsEndAgainstTheRuntimesOwnCalls() throws Exception {
    String parent = "/caisson-bench-" + UUID.randomUUID();
    var ours = new ArrayList<Long>();
    var theirs = new ArrayList<Long>();
    try (var engine = new RealEngine(directory.resolve("engine"), parent)) {
      for (int i = 0; i < WARM_UP + PAIRS; i++) {
        var plan = engine.plan("bench", UnaryOperator.identity(), "/bin/busybox", "true");
        long begin = System.nanoTime();
        var task = engine.pods.create(plan);
        task.start();
        task.ended(Optional.empty()).get(60, TimeUnit.SECONDS);
        engine.pods.delete(task.id());
        long middle = System.nanoTime();
        callRuntime(plan.runtime(), plan.bundle());
        long end = System.nanoTime();
        if (i >= WARM_UP) {
          ours.add(middle - begin);
          theirs.add(end - middle);
        }
      }
    } finally {
      // The runtime by itself leaves the group above its container's.
      CgroupMounts.detect().group(parent).remove();
    }
    System.out.printf(
        "| engine: create, start, wait, delete of `true` | %.1f ms, the runtime's own calls %.1f"
            + " ms, ratio %.2f |%n",
        median(ours) / 1e6, median(theirs) / 1e6, (double) median(ours) / median(theirs));
  }

  /** The same bundle, by the runtime alone, from a shell. */
  private void callRuntime(Path runtime, Path bundle) throws IOException, InterruptedException {
    String state = Files.createDirectories(directory.resolve("state")).toString();
    String script =
        """
        set -e
        r="%s --root %s"
        $r create --bundle %s bench
        $r start bench
        until $r delete bench 2>/dev/null; do :; done
        """
            .formatted(runtime, state, bundle);
    var process =
        new ProcessBuilder("sh", "-c", script)
            .redirectErrorStream(true)
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (process.waitFor() != 0) {
      throw new IllegalStateException("the runtime's own calls failed");
    }
  }

  private static long median(List<Long> values) {
    Collections.sort(values);
    return values.get(values.size() / 2);
  }
}
