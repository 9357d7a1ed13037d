package dev.caisson.engine.spec;

import dev.caisson.json.Unknown;
import java.util.List;
import java.util.Map;

/**
 * Programs run at points of a container's life; its state is on their standard input. Source:
 * runtime specification, config.md, POSIX-platform Hooks.
 *
 * @param prestart when the namespaces are made; deprecated for the next one
 * @param createRuntime the same, in the runtime's namespaces
 * @param createContainer the same, in the container's namespaces
 * @param startContainer right before the container's program, in its namespaces
 * @param poststart after the container's program was started
 * @param poststop after the container was deleted
 * @param others everything else, unchanged
 */
public record Hooks(
    List<Hook> prestart,
    List<Hook> createRuntime,
    List<Hook> createContainer,
    List<Hook> startContainer,
    List<Hook> poststart,
    List<Hook> poststop,
    @Unknown Map<String, Object> others) {

  /** Copies what could change under it. */
  public Hooks {
    prestart = List.copyOf(prestart);
    createRuntime = List.copyOf(createRuntime);
    createContainer = List.copyOf(createContainer);
    startContainer = List.copyOf(startContainer);
    poststart = List.copyOf(poststart);
    poststop = List.copyOf(poststop);
    others = Ordered.copy(others);
  }
}
