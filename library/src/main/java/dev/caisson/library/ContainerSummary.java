package dev.caisson.library;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A line of {@code caisson ps}.
 *
 * @param id 64 hexadecimal digits
 * @param name its name
 * @param image as the user named it
 * @param command as it is run
 * @param created when it was made
 * @param state now
 * @param started when it was last started
 * @param exit how it ended, when it has
 * @param labels of the container
 */
public record ContainerSummary(
    String id,
    String name,
    String image,
    List<String> command,
    Instant created,
    ContainerState state,
    Optional<Instant> started,
    Optional<ExitStatus> exit,
    Map<String, String> labels) {}
