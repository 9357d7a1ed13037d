package dev.caisson.engine;

import dev.caisson.engine.spec.Process;
import dev.caisson.engine.streams.StreamPlan;

/**
 * What an exec is made from.
 *
 * @param id its name in its task
 * @param process the specification's {@code process} section
 * @param streams its streams
 */
public record ExecPlan(ExecId id, Process process, StreamPlan streams) {}
