package dev.caisson.engine;

import dev.caisson.engine.streams.StreamPlan;
import java.util.Map;

/**
 * What an exec is made from.
 *
 * @param id its name in its task
 * @param process the specification's {@code process} section, as a JSON tree so that nothing is
 *     lost
 * @param streams its streams
 */
public record ExecPlan(ExecId id, Map<String, Object> process, StreamPlan streams) {}
