package dev.caisson.engine.streams;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Where batches are put into lines before they are written; one for all logs of a loop. */
final class LogPage {
  /** Room for the largest batch as one line, and some more. */
  private static final int SIZE = 512 << 10;

  private final MemorySegment lines = Arena.ofAuto().allocate(SIZE);
  private final ByteBuffer written = lines.asByteBuffer();

  /** Where lines are put. */
  MemorySegment lines() {
    return lines;
  }

  /** The first {@code length} bytes, to be written. */
  ByteBuffer first(long length) {
    return written.clear().limit((int) length);
  }
}
