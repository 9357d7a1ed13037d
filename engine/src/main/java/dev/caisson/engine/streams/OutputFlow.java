package dev.caisson.engine.streams;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.caisson.linux.Epoll;
import dev.caisson.linux.Errno;
import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Pipe;
import dev.caisson.linux.Splice;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One output stream of a process on its way to log and clients, as the package's primer tells. All
 * but the constructor and {@link #ended} is for the loop's thread only.
 */
final class OutputFlow implements Pump.Watched {
  private static final int BATCH = Pump.BATCH;

  private final Pump pump;
  private final boolean error;
  private final boolean terminal;
  private final Fd source;
  private final Pipe spool;
  private final Optional<KeptLog> log;
  private final List<Follower> followers = new ArrayList<>();
  private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
  private Optional<Primary> primary = Optional.empty();
  private long sourceKey;
  private int spooled;
  private boolean finishing;
  private long stillToMove; // while finishing
  private boolean blocked;

  /** The client that is never left behind. */
  private final class Primary implements Pump.Watched {
    private final Fd socket;
    private final long key;

    Primary(Fd socket) throws KernelException {
      this.socket = socket;
      Pipe.nonBlocking(socket);
      this.key = pump.watch(socket, 0, this);
    }

    @Override
    public void ready(int happened) throws KernelException {
      if ((happened & (Epoll.HUP | Epoll.ERR)) != 0) {
        lose();
      }
      unblock();
    }

    private void lose() {
      close();
      primary = Optional.empty();
    }

    void close() {
      pump.forget(key, socket);
      ClientSocket.end(socket);
    }
  }

  OutputFlow(
      Pump pump, boolean error, boolean terminal, Fd source, Pipe spool, Optional<KeptLog> log) {
    this.pump = pump;
    this.error = error;
    this.terminal = terminal;
    this.source = source;
    this.spool = spool;
    this.log = log;
  }

  /**
   * Completes when everything was handed over; the value tells whether the stream's end was seen.
   */
  CompletableFuture<Boolean> ended() {
    return ended;
  }

  void begin() throws KernelException {
    if (!blocked) {
      sourceKey = pump.watch(source, Epoll.IN, this);
    }
  }

  /** Begins with what a daemon that was killed left in the spool. */
  void takeOver() throws KernelException {
    spooled = Pipe.waiting(spool.readEnd());
    if (spooled > 0) {
      keep(stillToLog());
    }
    deliver();
    begin();
  }

  private boolean stillToLog() {
    try {
      return log.isPresent() && log.get().stillToAdd(error, spooled);
    } catch (IOException e) {
      return false;
    }
  }

  void attachPrimary(Fd socket) throws KernelException {
    primary.ifPresent(Primary::close);
    primary = Optional.of(new Primary(socket));
  }

  void attachFollower(Fd socket) throws KernelException {
    var follower = new Follower(pump, socket);
    if (ended.isDone()) {
      follower.end();
    } else {
      followers.add(follower);
    }
  }

  /**
   * The process has ended: what is there is still moved, but nothing more is waited for, not even
   * from another process that goes on writing.
   */
  void finish() throws KernelException {
    if (finishing || ended.isDone()) {
      return;
    }
    finishing = true;
    stillToMove = Math.max(Pipe.waiting(source), terminal ? BATCH : 0);
    pull();
  }

  @Override
  public void ready(int happened) throws KernelException {
    pull();
  }

  private void pull() throws KernelException {
    if (ended.isDone() || blocked) {
      return;
    }
    long moved;
    try {
      moved = canMoveDirectly() ? moveDirectly() : moveThroughSpool();
    } catch (KernelException e) {
      // EIO: a terminal whose last user has closed it. Anything else would come again for ever.
      end(e.errno() == Errno.EIO);
      if (e.errno() != Errno.EIO) {
        throw e;
      }
      return;
    }
    if (moved > 0) {
      stillToMove -= moved;
    }
    if (moved == 0) {
      end(true);
    } else if (finishing && !blocked) {
      if (moved == Splice.WOULD_BLOCK || stillToMove <= 0) {
        end(false);
      } else {
        pump.ask(this::pullAgain);
      }
    }
  }

  private void pullAgain() {
    try {
      pull();
    } catch (KernelException e) {
      System.getLogger(OutputFlow.class.getName())
          .log(System.Logger.Level.WARNING, "moving output: {0}", e.getMessage());
    }
  }

  private boolean canMoveDirectly() {
    return log.isEmpty() && !terminal && followers.isEmpty();
  }

  private long moveDirectly() throws KernelException {
    var to = primary.map(p -> p.socket).orElse(pump.nowhere());
    try {
      long moved = Splice.move(source, to, BATCH);
      if (moved == Splice.WOULD_BLOCK && primary.isPresent() && Pipe.waiting(source) > 0) {
        block();
      }
      return moved;
    } catch (KernelException e) {
      if (primary.isEmpty() || !isGone(e)) {
        throw e;
      }
      primary.get().lose();
      return moveDirectly();
    }
  }

  private long moveThroughSpool() throws KernelException {
    long moved = Splice.move(source, spool.writeEnd(), BATCH);
    if (moved > 0) {
      spooled = (int) moved;
      keep(log.isPresent());
      deliver();
    }
    return moved;
  }

  /** Hands copies of the spool to the log and to those who attached later. */
  private void keep(boolean logged) throws KernelException {
    followers.removeIf(Follower::isGone);
    if (!logged && followers.isEmpty()) {
      return;
    }
    var bytes = pump.batch();
    int length = copySpoolTo(bytes);
    if (logged) {
      log.orElseThrow().add(error, bytes, length);
    }
    for (var follower : followers) {
      follower.offer(Arrays.copyOf(bytes, length));
    }
  }

  private int copySpoolTo(byte[] bytes) throws KernelException {
    int copied = (int) Splice.copy(spool.readEnd(), pump.scratch().writeEnd(), spooled);
    int done = 0;
    while (done < copied) {
      done += (int) pump.scratch().readEnd().read(pump.nativeBatch().asSlice(done));
    }
    MemorySegment.copy(pump.nativeBatch(), JAVA_BYTE, 0, bytes, 0, done);
    return done;
  }

  /** Empties the spool into the primary client, or into nowhere. */
  private void deliver() throws KernelException {
    while (spooled > 0) {
      var to = primary.map(p -> p.socket).orElse(pump.nowhere());
      long moved;
      try {
        moved = Splice.move(spool.readEnd(), to, spooled);
      } catch (KernelException e) {
        if (primary.isEmpty()) {
          throw e;
        }
        primary.get().lose();
        continue;
      }
      if (moved == Splice.WOULD_BLOCK) {
        block();
        return;
      }
      spooled -= (int) moved;
    }
    log.ifPresent(l -> l.done(error));
  }

  private static boolean isGone(KernelException e) {
    return e.errno() == Errno.EPIPE || e.errno() == Errno.ECONNRESET;
  }

  /**
   * Waits until the primary client takes more; the process is held up as by a full pipe. The source
   * is not watched meanwhile at all, since its end would be told again and again.
   */
  private void block() throws KernelException {
    blocked = true;
    pump.forget(sourceKey, source);
    var client = primary.orElseThrow();
    pump.change(client.key, client.socket, Epoll.OUT);
  }

  private void unblock() throws KernelException {
    if (primary.isPresent()) {
      pump.change(primary.get().key, primary.get().socket, 0);
    }
    if (!blocked || ended.isDone()) {
      return;
    }
    blocked = false;
    deliver();
    begin();
    if (finishing) {
      pull();
    }
  }

  private void end(boolean whole) {
    pump.forget(sourceKey, source);
    primary.ifPresent(Primary::close);
    primary = Optional.empty();
    for (var follower : followers) {
      try {
        follower.end();
      } catch (KernelException e) {
        follower.close();
      }
    }
    source.close();
    spool.close();
    ended.complete(whole);
  }

  /** What the store has to hold of this flow; any thread. */
  void addHeldTo(List<Fd> held) {
    if (source.isOpen()) {
      held.addAll(List.of(source, spool.readEnd(), spool.writeEnd()));
    }
  }
}
