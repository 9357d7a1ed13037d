package dev.caisson.library;

import java.time.Instant;
import java.util.Map;

/**
 * Something that happened on a node.
 *
 * @param at when
 * @param topic containerd's topic: {@code /tasks/start}, {@code /tasks/exit}, {@code
 *     /images/create} …
 * @param subject id of the container, or name of the image
 * @param details topic-specific facts, such as {@code pid}, {@code status}, {@code exec}
 */
public record NodeEvent(Instant at, String topic, String subject, Map<String, String> details) {}
