package dev.caisson.engine.streams;

import dev.caisson.linux.Epoll;
import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.NonBlocking;
import dev.caisson.linux.Pipe;
import dev.caisson.linux.Splice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The way into a process: what its clients send to its standard input or terminal. Bytes go from a
 * client's socket to the process's pipe in one call of the kernel, or through a spool that the
 * store holds to a terminal, so that at no moment one is in this program's memory only. All but the
 * constructor is for the loop's thread only.
 */
final class Inlet implements Pump.Watched {
  private static final int MOST = 64 << 10;

  private final Pump pump;
  private final Fd target;
  private final Optional<Pipe> spool;
  private final Ends ends;
  private final List<Client> clients = new ArrayList<>();
  private long targetKey;
  private boolean blocked;
  private boolean discarding;
  private boolean closed;

  /** Hears of the end of what clients send. */
  interface Ends {
    void ended(Fd socket);
  }

  /**
   * Makes the way.
   *
   * @param target the write end of a pipe, or a terminal's master
   * @param spool for a terminal
   */
  Inlet(Pump pump, Fd target, Optional<Pipe> spool, Ends ends) {
    this.pump = pump;
    this.target = target;
    this.spool = spool;
    this.ends = ends;
  }

  /** One who sends; no longer watched while the process takes nothing. */
  private final class Client implements Pump.Watched {
    private final Fd socket;
    private long key;

    Client(Fd socket) {
      this.socket = socket;
    }

    void watch() throws KernelException {
      key = pump.watch(socket, Epoll.IN, this);
    }

    void forget() {
      pump.forget(key, socket);
    }

    @Override
    public void ready(int happened) throws KernelException {
      take(this);
    }
  }

  void add(Fd socket) throws KernelException {
    if (closed) {
      socket.close();
      return;
    }
    Pipe.nonBlocking(socket);
    var client = new Client(socket);
    clients.add(client);
    if (!blocked) {
      client.watch();
    }
  }

  /** Begins with what an earlier daemon left in the spool. */
  void takeOver() throws KernelException {
    flush();
  }

  private void take(Client client) throws KernelException {
    if (closed || blocked) {
      return;
    }
    long moved;
    try {
      moved = discarding ? drop(client) : move(client);
    } catch (KernelException e) {
      // Reset by a client that went away with the terminal still talking to it.
      moved = 0;
    }
    if (moved == 0) {
      client.forget();
      clients.remove(client);
      ends.ended(client.socket);
      client.socket.close();
    }
  }

  private long move(Client client) throws KernelException {
    var entry = spool.map(Pipe::writeEnd).orElse(target);
    try {
      long moved = Splice.move(client.socket, entry, MOST);
      if (moved == Splice.WOULD_BLOCK) {
        block();
      } else if (moved > 0) {
        flush();
      }
      return moved;
    } catch (KernelException e) {
      if (Pipe.waiting(client.socket) == 0) {
        throw e;
      }
      // Nobody reads it any more: the client is not held up by that.
      discarding = true;
      return drop(client);
    }
  }

  private long drop(Client client) throws KernelException {
    return NonBlocking.read(client.socket, pump.nativeBatch());
  }

  /** Hands what is in the spool to the terminal. */
  private void flush() throws KernelException {
    if (spool.isEmpty()) {
      return;
    }
    var from = spool.get().readEnd();
    try {
      while (Pipe.waiting(from) > 0) {
        if (discarding) {
          Splice.move(from, pump.nowhere(), MOST);
        } else if (Splice.move(from, target, MOST) == Splice.WOULD_BLOCK) {
          block();
          return;
        }
      }
    } catch (KernelException e) {
      discarding = true;
    }
  }

  /**
   * Waits until the process takes more. Its clients are not watched meanwhile at all, since one
   * that is gone would be told again and again.
   */
  private void block() throws KernelException {
    if (blocked) {
      return;
    }
    blocked = true;
    clients.forEach(Client::forget);
    targetKey = pump.watch(target, Epoll.OUT, this);
  }

  @Override
  public void ready(int happened) throws KernelException {
    if (closed || !blocked) {
      return;
    }
    blocked = false;
    pump.forget(targetKey, target);
    flush();
    if (!blocked) {
      for (var client : clients) {
        client.watch();
      }
    }
  }

  void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (blocked) {
      pump.forget(targetKey, target);
    }
    for (var client : clients) {
      client.forget();
      client.socket.close();
    }
    clients.clear();
    target.close();
    spool.ifPresent(Pipe::close);
  }
}
