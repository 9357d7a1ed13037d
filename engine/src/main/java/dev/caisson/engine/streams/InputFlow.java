package dev.caisson.engine.streams;

import dev.caisson.linux.Epoll;
import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.NonBlocking;
import dev.caisson.linux.Pipe;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What one client sends to a process's standard input or terminal. The client's end of input ends a
 * pipe, not a terminal; its going away ends nothing. The loop's thread only.
 */
final class InputFlow implements Pump.Watched {
  private static final int CHUNK = 64 << 10;

  private final Pump pump;
  private final Fd from;
  private final Fd to;
  private final Runnable atEnd;
  private long fromKey;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment chunk = arena.allocate(CHUNK);
  private MemorySegment waiting = chunk.asSlice(0, 0);
  private long toKey;
  private boolean discarding;
  private boolean closed;

  InputFlow(Pump pump, Fd from, Fd to, Runnable atEnd) throws KernelException {
    this.pump = pump;
    this.from = from;
    this.to = to;
    this.atEnd = atEnd;
    Pipe.nonBlocking(from);
    this.fromKey = pump.watch(from, Epoll.IN, this);
  }

  @Override
  public void ready(int happened) throws KernelException {
    if (closed) {
      return;
    }
    if (waiting.byteSize() > 0) {
      send();
      return;
    }
    long got;
    try {
      got = NonBlocking.read(from, chunk);
    } catch (KernelException e) {
      close();
      return;
    }
    if (got == 0) {
      close();
      atEnd.run();
    } else if (got > 0 && !discarding) {
      waiting = chunk.asSlice(0, got);
      send();
    }
  }

  private void send() throws KernelException {
    try {
      while (waiting.byteSize() > 0) {
        long sent = NonBlocking.write(to, waiting);
        if (sent == NonBlocking.WOULD_BLOCK) {
          if (toKey == 0) {
            // Not watched at all: a client that is gone would be told again and again.
            pump.forget(fromKey, from);
            toKey = pump.watch(to, Epoll.OUT, this);
          }
          return;
        }
        waiting = waiting.asSlice(sent);
      }
    } catch (KernelException e) {
      // Nobody reads it any more: the client is not held up by that.
      discarding = true;
      waiting = chunk.asSlice(0, 0);
    }
    if (toKey != 0) {
      pump.forget(toKey, to);
      toKey = 0;
      fromKey = pump.watch(from, Epoll.IN, this);
    }
  }

  void close() {
    if (closed) {
      return;
    }
    closed = true;
    pump.forget(fromKey, from);
    if (toKey != 0) {
      pump.forget(toKey, to);
    }
    from.close();
    to.close();
    arena.close();
  }
}
