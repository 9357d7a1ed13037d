package dev.caisson.linux;

import java.nio.file.Path;
import java.util.Set;

/**
 * One mounted tree of control groups.
 *
 * @param mountPoint where its topmost visible group is mounted
 * @param controllers of the first version, the controllers mounted here, a named one as "name=x";
 *     of the unified version, those it offers
 * @param unified whether it is the one tree of the second version
 * @param own this process's group, as a path below the mount point that starts with "/"
 */
public record CgroupHierarchy(
    Path mountPoint, Set<String> controllers, boolean unified, String own) {
  public CgroupHierarchy {
    controllers = Set.copyOf(controllers);
  }

  /** The directory of the group {@code path}, which starts with "/". */
  Path directory(String path) {
    return mountPoint.resolve(path.substring(1)).normalize();
  }
}
