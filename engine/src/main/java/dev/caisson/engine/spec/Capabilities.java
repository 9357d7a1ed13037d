package dev.caisson.engine.spec;

import dev.caisson.json.Unknown;
import java.util.List;
import java.util.Map;

/**
 * What a process may do, set by set, in the words of capabilities(7): {@code CAP_CHOWN}. Source:
 * runtime specification, config.md, Linux process.
 *
 * @param bounding what it and its children can ever get
 * @param effective what the kernel looks at
 * @param inheritable what survives execve(2) into files that inherit it
 * @param permitted what it can make effective
 * @param ambient what survives execve(2) into any file
 * @param others everything else, unchanged
 */
public record Capabilities(
    List<String> bounding,
    List<String> effective,
    List<String> inheritable,
    List<String> permitted,
    List<String> ambient,
    @Unknown Map<String, Object> others) {

  /** Copies what could change under it. */
  public Capabilities {
    bounding = List.copyOf(bounding);
    effective = List.copyOf(effective);
    inheritable = List.copyOf(inheritable);
    permitted = List.copyOf(permitted);
    ambient = List.copyOf(ambient);
    others = Ordered.copy(others);
  }
}
