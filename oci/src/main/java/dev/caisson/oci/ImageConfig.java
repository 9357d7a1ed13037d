package dev.caisson.oci;

import dev.caisson.json.Name;
import dev.caisson.json.Unknown;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An image's configuration. Source: OCI image specification, config.md.
 *
 * @param created when it was made
 * @param architecture in Go's words: {@code amd64}
 * @param os operating system: {@code linux}
 * @param config how it wants to be run
 * @param rootfs what its root consists of
 * @param others everything else, unchanged
 */
public record ImageConfig(
    Optional<Instant> created,
    String architecture,
    String os,
    Optional<Run> config,
    RootFs rootfs,
    @Unknown Map<String, Object> others) {

  /**
   * How an image wants to be run; everything may be empty.
   *
   * @param exposedPorts ports it listens on
   * @param volumes paths it wants kept outside its root
   */
  public record Run(
      @Name("User") String user,
      @Name("ExposedPorts") Map<String, Object> exposedPorts,
      @Name("Env") List<String> env,
      @Name("Entrypoint") List<String> entrypoint,
      @Name("Cmd") List<String> cmd,
      @Name("Volumes") Map<String, Object> volumes,
      @Name("WorkingDir") String workingDir,
      @Name("Labels") Map<String, String> labels,
      @Name("StopSignal") String stopSignal,
      @Unknown Map<String, Object> others) {}

  /** Digests of the uncompressed layers, lowest first. */
  public record RootFs(String type, @Name("diff_ids") List<Digest> diffIds) {}

  private static final Run NOTHING =
      new Run("", Map.of(), List.of(), List.of(), List.of(), Map.of(), "", Map.of(), "", Map.of());

  /** How it wants to be run, with nothing said for what it does not say. */
  public Run run() {
    return config.orElse(NOTHING);
  }
}
