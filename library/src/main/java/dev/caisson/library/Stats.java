package dev.caisson.library;

import java.time.Instant;

/**
 * Use of resources of one container, read from its cgroup (v1 and v2 alike).
 *
 * @param at when it was read
 * @param cpuNanos processor time used so far, in nanoseconds
 * @param cpuUserNanos of which in user mode
 * @param cpuSystemNanos of which in the kernel
 * @param throttledPeriods CFS periods in which it was held back
 * @param memoryBytes memory charged now, without page cache that can be dropped at once
 * @param memoryPeakBytes highest charge so far; 0 where the kernel does not tell
 * @param memoryLimitBytes its limit; 0 for none
 * @param swapBytes swap used now; 0 where the kernel does not account swap
 * @param outOfMemoryKills processes killed for lack of memory
 * @param pids processes and threads now
 * @param pidsLimit their limit; 0 for none
 * @param readBytes read from block devices
 * @param writtenBytes written to block devices
 */
public record Stats(
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
