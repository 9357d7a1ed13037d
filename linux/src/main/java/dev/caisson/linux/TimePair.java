package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Instant;

/** Two {@code struct timespec}: time of access, time of modification. Source: utimensat(2). */
final class TimePair {
  private TimePair() {}

  static MemorySegment allocate(Arena arena, Instant accessed, Instant modified) {
    return arena.allocateFrom(
        JAVA_LONG,
        accessed.getEpochSecond(),
        accessed.getNano(),
        modified.getEpochSecond(),
        modified.getNano());
  }
}
