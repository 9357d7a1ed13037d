package dev.caisson.keeper;

import dev.caisson.linux.ProcessIdentity;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The exit of a process. On disk and on the wire 32 bytes in network order: pid (4), wait status
 * (4), start time (8), seconds since 1970 (8), nanoseconds (4), a check sum (4) that tells a whole
 * record from a torn one.
 *
 * @param process which
 * @param waitStatus how it ended, in the kernel's encoding
 * @param at when the keeper saw it
 */
public record ExitRecord(ProcessIdentity process, int waitStatus, Instant at) {
  static final int SIZE = 32;
  private static final int SEED = 0x5ca1ab1e;

  void writeTo(ByteBuffer buffer) {
    int from = buffer.position();
    buffer.order(ByteOrder.BIG_ENDIAN);
    buffer
        .putInt(process.pid())
        .putInt(waitStatus)
        .putLong(process.startTime())
        .putLong(at.getEpochSecond())
        .putInt(at.getNano());
    buffer.putInt(sum(buffer, from));
  }

  /** Reads a record at the buffer's position; null when it is torn. */
  static @Nullable ExitRecord readFrom(ByteBuffer buffer) {
    int from = buffer.position();
    buffer.order(ByteOrder.BIG_ENDIAN);
    int pid = buffer.getInt();
    int status = buffer.getInt();
    long start = buffer.getLong();
    long seconds = buffer.getLong();
    int nanos = buffer.getInt();
    if (buffer.getInt() != sum(buffer, from)) {
      return null;
    }
    return new ExitRecord(
        new ProcessIdentity(pid, start), status, Instant.ofEpochSecond(seconds, nanos));
  }

  private static int sum(ByteBuffer buffer, int from) {
    int sum = SEED;
    for (int i = 0; i < SIZE - Integer.BYTES; i += Integer.BYTES) {
      sum = 31 * sum + buffer.getInt(from + i);
    }
    return sum;
  }
}
