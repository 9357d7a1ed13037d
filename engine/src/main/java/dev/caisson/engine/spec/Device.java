package dev.caisson.engine.spec;

import dev.caisson.json.Unknown;
import java.util.Map;
import java.util.Optional;

/**
 * A device node, or a pipe, made in a container. Source: runtime specification, config-linux.md,
 * Devices.
 *
 * @param path where, absolute in the container
 * @param type {@code c} and {@code u} for characters, {@code b} for blocks, {@code p} for a pipe
 * @param major which driver
 * @param minor which of the driver's devices
 * @param fileMode rights, 0666 is 438
 * @param uid owner
 * @param gid group
 * @param others everything else, unchanged
 */
public record Device(
    String path,
    String type,
    Optional<Long> major,
    Optional<Long> minor,
    Optional<Long> fileMode,
    Optional<Long> uid,
    Optional<Long> gid,
    @Unknown Map<String, Object> others) {

  /** Whether both are the same device, at whatever place. */
  boolean isSame(Device other) {
    return type.equals(other.type) && major.equals(other.major) && minor.equals(other.minor);
  }

  /** Copies what could change under it. */
  public Device {
    others = Ordered.copy(others);
  }
}
