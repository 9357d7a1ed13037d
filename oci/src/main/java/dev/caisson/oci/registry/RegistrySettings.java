package dev.caisson.oci.registry;

import dev.caisson.oci.ImageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How registries are spoken to.
 *
 * @param mirrors for each registry name the mirrors that are asked before it, in order
 * @param insecure hosts, with their port if it is not the usual one, where plain http and unknown
 *     certificates are allowed; this machine itself needs no entry for plain http
 * @param certificates directories with, for each host, a directory of {@code *.crt} files that are
 *     trusted there besides the usual ones; like {@code /etc/docker/certs.d}
 * @param retries of requests that failed for a reason that may pass
 * @param stall how long nothing may come before a connection is given up
 * @param parallel how many layers are transferred at once, at least 1
 * @param foreignLayers whether layers that a registry may not have are taken from the https
 *     addresses in the manifest; without credentials, and never from this machine or its link
 */
public record RegistrySettings(
    Map<String, List<Mirror>> mirrors,
    Set<String> insecure,
    List<Path> certificates,
    Retries retries,
    Duration stall,
    int parallel,
    boolean foreignLayers) {
  /** No mirrors, nothing insecure, three layers at once, 30 seconds of silence. */
  public static final RegistrySettings USUAL =
      new RegistrySettings(
          Map.of(),
          Set.of(),
          List.of(Path.of("/etc/docker/certs.d"), Path.of("/etc/containers/certs.d")),
          Retries.USUAL,
          Duration.ofSeconds(30),
          3,
          false);

  /** Checks and copies. */
  public RegistrySettings {
    if (parallel < 1 || !stall.isPositive()) {
      throw new IllegalArgumentException(
          "registry settings: parallel " + parallel + " and stall " + stall + " must be above 0");
    }
    mirrors = Map.copyOf(mirrors);
    insecure = Set.copyOf(insecure);
    certificates = List.copyOf(certificates);
  }

  /**
   * What the administrator says in the first of these files that is there, else the usual. Source:
   * docs/registries.md.
   *
   * @throws ImageException {@code INVALID} naming file and field
   */
  public static RegistrySettings read(List<Path> files) {
    return RegistryFile.read(files);
  }

  /** These with another {@code insecure}. */
  public RegistrySettings withInsecure(Set<String> insecure) {
    return new RegistrySettings(
        mirrors, insecure, certificates, retries, stall, parallel, foreignLayers);
  }

  /** These with other {@code mirrors}. */
  public RegistrySettings withMirrors(Map<String, List<Mirror>> mirrors) {
    return new RegistrySettings(
        mirrors, insecure, certificates, retries, stall, parallel, foreignLayers);
  }

  /** These with other {@code retries} and {@code stall}. */
  public RegistrySettings withPatience(Retries retries, Duration stall) {
    return new RegistrySettings(
        mirrors, insecure, certificates, retries, stall, parallel, foreignLayers);
  }

  /** These with another {@code foreignLayers}. */
  public RegistrySettings withForeignLayers(boolean foreignLayers) {
    return new RegistrySettings(
        mirrors, insecure, certificates, retries, stall, parallel, foreignLayers);
  }

  boolean isInsecure(Origin origin) {
    return insecure.contains(origin.authority())
        || insecure.contains(origin.host() + ":" + origin.port());
  }

  boolean allowsPlain(Origin origin) {
    return origin.isLoopback() || isInsecure(origin);
  }
}
