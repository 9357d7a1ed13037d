package dev.caisson.engine.spec;

import dev.caisson.json.Unknown;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A program run at a point of a container's life. Source: runtime specification, config.md,
 * POSIX-platform Hooks.
 *
 * @param path program, absolute
 * @param args its arguments, its own name first
 * @param env {@code NAME=value}
 * @param timeout seconds after which it is ended
 * @param others everything else, unchanged
 */
public record Hook(
    String path,
    List<String> args,
    List<String> env,
    Optional<Integer> timeout,
    @Unknown Map<String, Object> others) {

  /** Copies what could change under it. */
  public Hook {
    args = List.copyOf(args);
    env = List.copyOf(env);
    others = Ordered.copy(others);
  }
}
