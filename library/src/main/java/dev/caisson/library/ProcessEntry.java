package dev.caisson.library;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A process in a container.
 *
 * @param pid its id as the host sees it
 * @param parent its parent's
 * @param user user id, or the name the host has for it
 * @param started when
 * @param cpu processor time used
 * @param terminal its terminal, {@code ?} without one
 * @param command command line
 * @param exec the exec that started it, where one did
 */
public record ProcessEntry(
    int pid,
    int parent,
    String user,
    Instant started,
    Duration cpu,
    String terminal,
    String command,
    Optional<String> exec) {}
