package dev.caisson.engine.streams;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.caisson.linux.Epoll;
import dev.caisson.linux.Errno;
import dev.caisson.linux.Fd;
import dev.caisson.linux.FileKind;
import dev.caisson.linux.FileStatus;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Pipe;
import dev.caisson.linux.Splice;
import dev.caisson.linux.UnixSocket;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One output stream of a process on its way to log and clients, as the package's primer tells. All
 * but the constructor and {@link #ended} is for the loop's thread only.
 */
final class OutputFlow implements Pump.Watched {
  /** Batches that filled a pipe in a row; then larger pipes are worth their memory. */
  private static final int FULL_IN_A_ROW = 8;

  /** What may wait in the kernel for a client when its flow is given up. */
  private static final int LAST_WORDS = 8 << 20;

  private final Pump pump;
  private final boolean error;
  private final boolean terminal;
  private final Fd source;
  private final Pipe spool;
  private final Optional<KeptLog> log;
  private final Runnable released; // the store need not hold the primary client's pipe any more
  private final List<Follower> followers = new ArrayList<>();
  private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
  private Optional<Primary> primary = Optional.empty();
  private long sourceKey;
  private int spooled;
  private boolean finishing;
  private long stillToMove; // while finishing
  private boolean blocked;
  private int batch = Pump.BATCH;
  private int fullInARow;

  /** The client that is never left behind. */
  private final class Primary {
    private final Receiver receiver;
    private final long socketKey;
    private Optional<Fd> direct;
    private long directKey;

    Primary(Receiver receiver) throws KernelException {
      this.receiver = receiver;
      this.direct = receiver.direct();
      Pipe.nonBlocking(receiver.socket());
      this.socketKey = pump.watch(receiver.socket(), 0, this::socketReady);
      if (direct.isPresent() && canBeFull(direct.get())) {
        // The reader's going away is always told.
        directKey = pump.watch(direct.get(), 0, this::directReady);
      }
    }

    /** What takes everything at all times cannot be watched. */
    private static boolean canBeFull(Fd fd) throws KernelException {
      return FileStatus.of(fd, fd.toString()).kind() == FileKind.FIFO;
    }

    Fd to() {
      return direct.orElse(receiver.socket());
    }

    void awaitRoom() throws KernelException {
      watchRoom(Epoll.OUT);
    }

    private void watchRoom(int interest) throws KernelException {
      pump.change(direct.isPresent() ? directKey : socketKey, to(), interest);
    }

    private void socketReady(int happened) throws KernelException {
      if ((happened & (Epoll.HUP | Epoll.ERR)) != 0) {
        lose(Parting.DONE);
      } else {
        watchRoom(0);
      }
      unblock();
    }

    private void directReady(int happened) throws KernelException {
      if ((happened & Epoll.ERR) != 0) {
        lose(Parting.READER_GONE);
      } else {
        watchRoom(0);
      }
      unblock();
    }

    void lose(Parting parting) {
      close(parting);
      primary = Optional.empty();
    }

    /** From now on the connection takes what the pipe would not take in time. */
    void giveUpDirect() {
      if (direct.isPresent()) {
        pump.forget(directKey, direct.get());
        direct.get().close();
        direct = Optional.empty();
      }
    }

    void close(Parting parting) {
      giveUpDirect();
      if (receiver.direct().isPresent()) {
        // As long as the store holds it, the pipe does not end.
        released.run();
      }
      receiver.parted().accept(parting);
      pump.forget(socketKey, receiver.socket());
      ClientSocket.end(receiver.socket());
    }
  }

  OutputFlow(
      Pump pump,
      boolean error,
      boolean terminal,
      Fd source,
      Pipe spool,
      Optional<KeptLog> log,
      Runnable released) {
    this.pump = pump;
    this.error = error;
    this.terminal = terminal;
    this.source = source;
    this.spool = spool;
    this.log = log;
    this.released = released;
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

  void attachPrimary(Receiver receiver) throws KernelException {
    primary.ifPresent(p -> p.close(Parting.DONE));
    primary = Optional.of(new Primary(receiver));
  }

  void attachFollower(Receiver receiver) throws KernelException {
    var follower = new Follower(pump, receiver);
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
    stillToMove = Math.max(Pipe.waiting(source), terminal ? Pump.BATCH : 0);
    pull();
  }

  /**
   * Nobody waits for this process any more. What its client has not taken waits in the kernel from
   * now on, at its connection, and the flow ends.
   */
  void giveUp() throws KernelException {
    finish();
    if (!blocked || primary.isEmpty()) {
      return;
    }
    primary.get().giveUpDirect();
    UnixSocket.sendBuffer(primary.get().receiver.socket(), LAST_WORDS);
    unblock();
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
      growWith(moved);
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

  /** A process that fills its pipe again and again is served with less effort by larger ones. */
  private void growWith(long moved) throws KernelException {
    if (terminal || batch == pump.mostAtATime()) {
      return;
    }
    fullInARow = moved == batch ? fullInARow + 1 : 0;
    if (fullInARow == FULL_IN_A_ROW) {
      batch = pump.mostAtATime();
      try {
        Pipe.resize(source, batch);
        Pipe.resize(spool.writeEnd(), batch);
        if (primary.isPresent() && primary.get().direct.isPresent()) {
          Pipe.resize(primary.get().direct.get(), batch);
        }
      } catch (KernelException e) {
        // Not more than the system allows this user: it goes on as it is.
        return;
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
    var to = primary.map(Primary::to).orElse(pump.nowhere());
    try {
      long moved = Splice.move(source, to, batch);
      if (moved == Splice.WOULD_BLOCK && primary.isPresent() && Pipe.waiting(source) > 0) {
        block();
      }
      return moved;
    } catch (KernelException e) {
      if (primary.isEmpty() || !isGone(e)) {
        throw e;
      }
      lose(e);
      return moveDirectly();
    }
  }

  private void lose(KernelException e) {
    var client = primary.orElseThrow();
    var readerGone = client.direct.isPresent() && e.errno() == Errno.EPIPE;
    client.lose(readerGone ? Parting.READER_GONE : Parting.DONE);
  }

  private long moveThroughSpool() throws KernelException {
    long moved = Splice.move(source, spool.writeEnd(), batch);
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
    var bytes = copyOfSpool();
    if (logged) {
      log.orElseThrow().add(error, bytes);
    }
    for (var follower : followers) {
      follower.offer(bytes.toArray(JAVA_BYTE));
    }
  }

  private MemorySegment copyOfSpool() throws KernelException {
    int copied = (int) Splice.copy(spool.readEnd(), pump.scratch().writeEnd(), spooled);
    int done = 0;
    while (done < copied) {
      done += (int) pump.scratch().readEnd().read(pump.nativeBatch().asSlice(done));
    }
    return pump.nativeBatch().asSlice(0, done);
  }

  /** Empties the spool into the primary client, or into nowhere. */
  private void deliver() throws KernelException {
    while (spooled > 0) {
      var to = primary.map(Primary::to).orElse(pump.nowhere());
      long moved;
      try {
        moved = Splice.move(spool.readEnd(), to, spooled);
      } catch (KernelException e) {
        if (primary.isEmpty()) {
          throw e;
        }
        lose(e);
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
    primary.orElseThrow().awaitRoom();
  }

  private void unblock() throws KernelException {
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
    primary.ifPresent(p -> p.close(Parting.DONE));
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
    } else {
      held.addAll(Collections.nCopies(3, pump.atEnd()));
    }
  }
}
