package dev.caisson.engine;

import dev.caisson.engine.streams.StreamPlan;
import java.nio.file.Path;

/**
 * What a task is made from. Kept on disk as long as the task lives, so it has plain values only.
 *
 * @param pod the pod it belongs to; its own id for a pod of one
 * @param id its own name
 * @param bundle directory with {@code config.json}; the root it names is mounted already
 * @param runtime path of the low-level runtime that makes its processes
 * @param cgroup path below each cgroup hierarchy, as {@code config.json} names it: {@code
 *     /caisson/web}
 * @param streams its init's streams
 * @param ownPidNamespace whether the end of init ends all its processes by the kernel's doing
 */
public record TaskPlan(
    PodId pod,
    TaskId id,
    Path bundle,
    Path runtime,
    String cgroup,
    StreamPlan streams,
    boolean ownPidNamespace) {}
