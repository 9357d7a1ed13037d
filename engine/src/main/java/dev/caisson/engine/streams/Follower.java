package dev.caisson.engine.streams;

import dev.caisson.linux.Epoll;
import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.NonBlocking;
import dev.caisson.linux.Pipe;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/**
 * A client that attached later. It gets copies; what its socket does not take waits in memory, and
 * when that is too much the client is cut off, so that it holds up nobody. The loop's thread only.
 */
final class Follower implements Pump.Watched {
  private static final int MOST_WAITING = 4 << 20;

  private final Pump pump;
  private final Receiver receiver;
  private final Fd socket;
  private final ArrayDeque<byte[]> waiting = new ArrayDeque<>();
  private final long key;
  private int waitingBytes;
  private int sentOfFirst;
  private boolean ending;
  private boolean gone;

  Follower(Pump pump, Receiver receiver) throws KernelException {
    this.pump = pump;
    this.receiver = receiver;
    this.socket = receiver.socket();
    // Into a pipe would go more than can be counted as waiting.
    receiver.direct().ifPresent(Fd::close);
    Pipe.nonBlocking(socket);
    this.key = pump.watch(socket, 0, this);
  }

  boolean isGone() {
    return gone;
  }

  void offer(byte[] bytes) throws KernelException {
    if (gone) {
      return;
    }
    if (waitingBytes + bytes.length > MOST_WAITING) {
      close(Parting.TOO_SLOW);
      return;
    }
    waiting.add(bytes);
    waitingBytes += bytes.length;
    send();
  }

  /** Nothing more comes: close once all is sent. */
  void end() throws KernelException {
    ending = true;
    send();
  }

  @Override
  public void ready(int happened) throws KernelException {
    if ((happened & (Epoll.HUP | Epoll.ERR)) != 0) {
      close();
    } else {
      send();
    }
  }

  private void send() throws KernelException {
    try (var arena = Arena.ofConfined()) {
      while (!gone && !waiting.isEmpty()) {
        var first = waiting.peekFirst();
        var rest = MemorySegment.ofArray(first).asSlice(sentOfFirst);
        var out = arena.allocate(rest.byteSize()).copyFrom(rest);
        long sent = NonBlocking.write(socket, out);
        if (sent == NonBlocking.WOULD_BLOCK) {
          pump.change(key, socket, Epoll.OUT);
          return;
        }
        sentOfFirst += (int) sent;
        if (sentOfFirst == first.length) {
          waiting.removeFirst();
          waitingBytes -= first.length;
          sentOfFirst = 0;
        }
      }
    } catch (KernelException e) {
      close();
      return;
    }
    if (ending) {
      close();
    } else if (!gone) {
      pump.change(key, socket, 0);
    }
  }

  void close() {
    close(Parting.DONE);
  }

  private void close(Parting parting) {
    if (!gone) {
      gone = true;
      receiver.parted().accept(parting);
      pump.forget(key, socket);
      ClientSocket.end(socket);
      waiting.clear();
    }
  }
}
