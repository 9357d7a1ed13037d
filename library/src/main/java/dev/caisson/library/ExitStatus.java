package dev.caisson.library;

import java.time.Instant;

/**
 * How a process ended.
 *
 * @param code its exit code; 128 + n when signal n ended it; 255 when nobody could find out
 * @param at when
 * @param outOfMemory the kernel killed a process of the container for lack of memory
 */
public record ExitStatus(int code, Instant at, boolean outOfMemory) {}
