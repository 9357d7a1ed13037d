package dev.caisson.engine.streams;

import java.nio.ByteBuffer;

/**
 * Where batches are put into lines before they are written. One for all logs of a loop, since it
 * grows to what short lines take and a log of its own would hold that for ever.
 */
final class LogPage {
  private ByteBuffer lines = ByteBuffer.allocateDirect(256 << 10);

  /** Empty, with some room. */
  ByteBuffer clear() {
    return lines.clear();
  }

  /** The same lines, with room for {@code more} bytes. */
  ByteBuffer withRoom(int more) {
    if (lines.remaining() < more) {
      var larger =
          ByteBuffer.allocateDirect(Math.max(lines.capacity() * 2, lines.position() + more));
      lines = larger.put(lines.flip());
    }
    return lines;
  }
}
