package dev.caisson.daemon.container;

import dev.caisson.engine.spec.Device;
import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.FileStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** A device node of the host. */
record HostDevice(String type, long major, long minor, int mode, int uid, int gid) {

  /**
   * Looks a node up; a link is followed once, here, so that the container gets the device itself.
   */
  static HostDevice find(String path) {
    try {
      var real = Path.of(path).toRealPath();
      try (var parent = DirectoryHandle.open(Objects.requireNonNull(real.getParent(), path))) {
        return of(path, parent.status(real.getFileName().toString()));
      }
    } catch (IOException e) {
      throw Refusal.of("device '" + path + "'", "there is no such file", "see ls -l /dev");
    }
  }

  /** The same node at a place in a container. */
  Device at(String destination) {
    return new Device(
        destination,
        type,
        Optional.of(major),
        Optional.of(minor),
        Optional.of((long) mode),
        Optional.of((long) uid),
        Optional.of((long) gid),
        Map.of());
  }

  static HostDevice of(String path, FileStatus status) {
    var type =
        switch (status.kind()) {
          case BLOCK_DEVICE -> "b";
          case CHARACTER_DEVICE -> "c";
          default -> throw Refusal.of("device '" + path + "'", "no device node", "see ls -l /dev");
        };
    return new HostDevice(
        type,
        status.device().major(),
        status.device().minor(),
        status.mode() & 0777,
        status.uid(),
        status.gid());
  }
}
