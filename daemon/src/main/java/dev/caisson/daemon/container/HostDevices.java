package dev.caisson.daemon.container;

import dev.caisson.engine.spec.Device;
import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.KernelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * All device nodes of the host, for a container that may do everything. What every container has of
 * its own is left out: its terminals, its shared memory and queues, and the six usual nodes.
 */
final class HostDevices {
  private static final Set<String> OWN =
      Set.of(
          "console", "full", "mqueue", "null", "ptmx", "pts", "random", "shm", "tty", "urandom",
          "zero");

  /** Where it is found in a container; the same as on the host. */
  private static final Path PLACE = Path.of("/dev");

  private final List<String> warnings;
  private final Map<String, Device> found = new TreeMap<>();

  private HostDevices(List<String> warnings) {
    this.warnings = warnings;
  }

  /**
   * Looks through a directory of nodes.
   *
   * @param directory the host's /dev
   * @param warnings gets a sentence for each link that leads nowhere
   * @return by their places in the container, in that order
   */
  static Map<String, Device> in(Path directory, List<String> warnings) {
    var search = new HostDevices(warnings);
    try (var top = DirectoryHandle.open(directory)) {
      search.look(top, directory, PLACE);
    } catch (KernelException e) {
      throw Refusal.of("--privileged", "the host's devices: " + e.getMessage(), "see ls -l /dev");
    }
    return search.found;
  }

  private void look(DirectoryHandle directory, Path path, Path place) throws KernelException {
    for (var entry : directory.entries()) {
      var name = entry.name();
      if (place.equals(PLACE) && OWN.contains(name)) {
        continue;
      }
      switch (entry.kind()) {
        case DIRECTORY -> {
          try (var below = directory.childWithinMount(name)) {
            look(below, path.resolve(name), place.resolve(name));
          } catch (KernelException e) {
            // Another file system, or gone since it was listed.
            continue;
          }
        }
        case CHARACTER_DEVICE, BLOCK_DEVICE ->
            directory
                .find(name)
                .ifPresent(status -> {
                  var where = place.resolve(name).toString();
                  found.put(where, HostDevice.of(where, status).at(where));
                });
        // Where a link leads to is given under its own name, if it is a device.
        case SYMBOLIC_LINK -> {
          if (!Files.exists(path.resolve(name))) {
            warnings.add("--privileged: '" + path.resolve(name) + "' leads nowhere, left out");
          }
        }
        case REGULAR, FIFO, SOCKET -> {}
      }
    }
  }
}
