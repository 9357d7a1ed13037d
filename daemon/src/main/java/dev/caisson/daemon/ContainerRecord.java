package dev.caisson.daemon;

import dev.caisson.engine.spec.Spec;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.ExitStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A container as it stands on disk: what it is and how it last ended. Whether it runs now is the
 * engine's to tell.
 *
 * @param id 64 hexadecimal digits
 * @param name its name
 * @param settings what was asked for
 * @param imageId digest of the image's config
 * @param layers chain ids of its layers, lowest first; what keeps them from being pruned
 * @param command as it is run
 * @param runtime path of the low-level runtime
 * @param created when it was made
 * @param warnings what is done differently than asked
 * @param started when it was last started
 * @param exit how it last ended
 * @param spec the specification last handed to the runtime
 */
record ContainerRecord(
    String id,
    String name,
    ContainerSettings settings,
    String imageId,
    List<String> layers,
    List<String> command,
    String runtime,
    Instant created,
    List<String> warnings,
    Optional<Instant> started,
    Optional<ExitStatus> exit,
    Spec spec) {

  ContainerRecord withSettings(ContainerSettings changed) {
    return new ContainerRecord(
        id, name, changed, imageId, layers, command, runtime, created, warnings, started, exit,
        spec);
  }

  ContainerRecord prepared(List<String> newWarnings, Spec newSpec) {
    return new ContainerRecord(
        id,
        name,
        settings,
        imageId,
        layers,
        command,
        runtime,
        created,
        newWarnings,
        started,
        exit,
        newSpec);
  }

  ContainerRecord started(Instant at) {
    return new ContainerRecord(
        id,
        name,
        settings,
        imageId,
        layers,
        command,
        runtime,
        created,
        warnings,
        Optional.of(at),
        Optional.empty(),
        spec);
  }

  ContainerRecord ended(ExitStatus how) {
    return new ContainerRecord(
        id,
        name,
        settings,
        imageId,
        layers,
        command,
        runtime,
        created,
        warnings,
        started,
        Optional.of(how),
        spec);
  }
}
