package dev.caisson.daemon;

import dev.caisson.engine.spec.Spec;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.ExitStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
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
 * @param damage why it could not be read from the disk; its id, its directory and perhaps its task
 *     are all there is of it then
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
    Spec spec,
    Optional<String> damage) {
  private static final int SHORT_ID = 12;
  private static final Spec NO_SPEC =
      new Spec(
          Spec.WRITTEN,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          List.of(),
          Optional.empty(),
          Map.of(),
          Optional.empty(),
          Map.of());

  /** What is left of a container whose record cannot be read: enough to end and to remove it. */
  static ContainerRecord damaged(String id, Instant changed, String why) {
    return new ContainerRecord(
        id,
        id.substring(0, Math.min(SHORT_ID, id.length())),
        ContainerSettings.of("unknown"),
        "",
        List.of(),
        List.of(),
        "",
        changed,
        List.of(why),
        Optional.of(changed),
        Optional.empty(),
        NO_SPEC,
        Optional.of(why));
  }

  ContainerRecord withSettings(ContainerSettings changed) {
    return new ContainerRecord(
        id, name, changed, imageId, layers, command, runtime, created, warnings, started, exit,
        spec, damage);
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
        newSpec,
        damage);
  }

  /** Runs since then; how it ended before is forgotten. */
  ContainerRecord started(Instant at) {
    return withRun(Optional.of(at), Optional.empty());
  }

  /** As if it had not been started, because the program never ran. */
  ContainerRecord notStarted() {
    return withRun(Optional.empty(), Optional.empty());
  }

  /** Its last run has ended. */
  ContainerRecord ended(ExitStatus how) {
    return withRun(started, Optional.of(how));
  }

  private ContainerRecord withRun(Optional<Instant> start, Optional<ExitStatus> end) {
    return new ContainerRecord(
        id, name, settings, imageId, layers, command, runtime, created, warnings, start, end, spec,
        damage);
  }
}
