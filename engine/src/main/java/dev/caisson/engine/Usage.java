package dev.caisson.engine;

import java.time.Instant;

/**
 * Use of resources read from a task's cgroup. Times in nanoseconds, sizes in bytes; a limit of 0
 * means none, a figure of 0 also that the kernel does not tell.
 */
public record Usage(
    Instant at,
    long cpuNanos,
    long cpuUserNanos,
    long cpuSystemNanos,
    long throttledPeriods,
    long memoryBytes,
    long memoryPeakBytes,
    long memoryLimitBytes,
    long swapBytes,
    long outOfMemoryKills,
    long pids,
    long pidsLimit,
    long readBytes,
    long writtenBytes) {}
