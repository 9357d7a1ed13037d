package dev.caisson.oci.registry;

import dev.caisson.json.Json;
import dev.caisson.json.JsonException;
import dev.caisson.json.Unknown;
import dev.caisson.oci.ImageException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The administrator's settings for registries, {@code registries.json}; every field may be left
 * out.
 *
 * <pre>{@code
 * {"mirrors": {"docker.io": [{"address": "https://mirror.example", "capabilities": ["pull"]}]},
 *  "insecure": ["registry.example:5000"],
 *  "certificates": ["/etc/docker/certs.d"],
 *  "tries": 6, "stallSeconds": 30, "parallel": 3, "foreignLayers": false}
 * }</pre>
 *
 * @param mirrors by name of registry, in the order in which they are asked
 * @param insecure hosts where plain http and unknown certificates are allowed
 * @param certificates directories like {@code /etc/docker/certs.d}
 * @param tries of each request
 * @param stallSeconds of silence after which a connection is given up
 * @param parallel layers at once
 * @param foreignLayers whether layers are taken from addresses in manifests
 */
record RegistryFile(
    Map<String, List<Place>> mirrors,
    List<String> insecure,
    Optional<List<Path>> certificates,
    Optional<Integer> tries,
    Optional<Integer> stallSeconds,
    Optional<Integer> parallel,
    boolean foreignLayers,
    @Unknown Map<String, Object> others) {

  /** A mirror; without capabilities it is asked for everything. */
  record Place(String address, List<String> capabilities, @Unknown Map<String, Object> others) {
    Mirror mirror() {
      requireKnown(others);
      return new Mirror(
          URI.create(address),
          capabilities.isEmpty()
              ? Set.of(Mirror.Capability.values())
              : Set.copyOf(capabilities.stream().map(Place::capability).toList()),
          Optional.empty());
    }

    private static Mirror.Capability capability(String word) {
      return switch (word) {
        case "pull" -> Mirror.Capability.PULL;
        case "resolve" -> Mirror.Capability.RESOLVE;
        default ->
            throw new IllegalArgumentException("capability '" + word + "': 'pull' or 'resolve'");
      };
    }
  }

  /**
   * The settings of the first file that is there, or the usual ones.
   *
   * @throws ImageException {@code INVALID} naming file and field
   */
  static RegistrySettings read(List<Path> files) {
    for (Path file : files) {
      if (Files.exists(file)) {
        try {
          return Json.read(file, RegistryFile.class).settings();
        } catch (JsonException | IllegalArgumentException | UncheckedIOException e) {
          throw new ImageException(
              ImageException.Kind.INVALID,
              "read '" + file + "'",
              String.valueOf(e.getMessage()),
              "see docs/registries.md",
              e);
        }
      }
    }
    return RegistrySettings.USUAL;
  }

  private RegistrySettings settings() {
    requireKnown(others);
    above0("tries", tries);
    above0("stallSeconds", stallSeconds);
    above0("parallel", parallel);
    insecure.forEach(RegistryFile::requireHost);
    var usual = RegistrySettings.USUAL;
    var byName = new LinkedHashMap<String, List<Mirror>>();
    mirrors.forEach((name, places) ->
        byName.put(name, places.stream().map(place -> mirror(name, place)).toList()));
    return new RegistrySettings(
        byName,
        Set.copyOf(insecure),
        certificates.orElse(usual.certificates()),
        tries.map(Retries.USUAL::withTries).orElse(Retries.USUAL),
        stallSeconds.map(Duration::ofSeconds).orElse(usual.stall()),
        parallel.orElse(usual.parallel()),
        foreignLayers);
  }

  private static Mirror mirror(String registry, Place place) {
    try {
      return place.mirror();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("mirrors." + registry + ": " + e.getMessage(), e);
    }
  }

  private static void requireKnown(Map<String, Object> others) {
    if (!others.isEmpty()) {
      throw new IllegalArgumentException(
          "unknown field '" + others.keySet().iterator().next() + "'");
    }
  }

  private static void above0(String field, Optional<Integer> value) {
    if (value.isPresent() && value.get() < 1) {
      throw new IllegalArgumentException(field + " " + value.get() + ": wanted 1 or more");
    }
  }

  private static void requireHost(String host) {
    if (host.isBlank() || host.indexOf('/') >= 0) {
      throw new IllegalArgumentException(
          "insecure '" + host + "': wanted a host such as 'registry.example:5000'");
    }
  }
}
