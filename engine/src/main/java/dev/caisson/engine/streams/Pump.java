package dev.caisson.engine.streams;

import dev.caisson.linux.DevNull;
import dev.caisson.linux.Epoll;
import dev.caisson.linux.EventFd;
import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Pipe;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/**
 * The one loop that moves the output and input of all processes. Everything that moves is touched
 * by its thread only.
 */
public final class Pump implements AutoCloseable {
  /** Bytes moved at a time: the room of a pipe. */
  static final int BATCH = 64 << 10;

  /** Bytes moved at a time of one who writes much. */
  private static final int LARGE_BATCH = 256 << 10;

  private static final long WAKE_KEY = 0;

  private final Epoll epoll;
  private final EventFd wake;
  private final Pipe scratch;
  private final Fd nowhere;
  private final Fd atEnd;
  private final ConcurrentLinkedQueue<Runnable> asked = new ConcurrentLinkedQueue<>();
  private final Map<Long, Watched> watched = new HashMap<>(); // the loop's thread only
  private final LogPage page = new LogPage();
  private final int mostAtATime;
  private final MemorySegment nativeBatch;
  private final Thread thread;
  private long lastKey = WAKE_KEY; // the loop's thread only
  private volatile boolean closed;

  /** Something that waits for its descriptor. */
  interface Watched {
    void ready(int happened) throws KernelException;
  }

  private Pump() throws KernelException {
    epoll = new Epoll();
    wake = new EventFd();
    scratch = Pipe.open();
    mostAtATime = room(scratch);
    nativeBatch = Arena.ofAuto().allocate(mostAtATime);
    nowhere = DevNull.open();
    atEnd = endedPipe();
    epoll.add(wake.fd(), Epoll.IN, WAKE_KEY);
    thread = Thread.ofPlatform().daemon().name("pump").unstarted(this::run);
  }

  /** A copy must fit into the scratch pipe, so its room bounds every batch. */
  private static int room(Pipe scratch) throws KernelException {
    try {
      Pipe.resize(scratch.writeEnd(), LARGE_BATCH);
      return LARGE_BATCH;
    } catch (KernelException e) {
      return BATCH;
    }
  }

  private static Fd endedPipe() throws KernelException {
    var pipe = Pipe.open();
    pipe.writeEnd().close();
    return pipe.readEnd();
  }

  /** Starts a loop. */
  public static Pump start() throws KernelException {
    var pump = new Pump();
    pump.thread.start();
    return pump;
  }

  /** Has something done by the loop's thread, soon. */
  void ask(Runnable work) {
    asked.add(work);
    if (Thread.currentThread() != thread) {
      try {
        wake.signal();
      } catch (KernelException | IllegalStateException e) {
        // The loop has ended; there is nothing left to do.
        return;
      }
    }
  }

  /**
   * Has something done while nothing is moved, and waits for it; the loop goes on afterwards.
   *
   * @throws InterruptedException when the caller is to do something else; the work is still done
   */
  public void still(Runnable work) throws InterruptedException {
    var done = new CountDownLatch(1);
    ask(() -> {
      try {
        work.run();
      } finally {
        done.countDown();
      }
    });
    done.await();
  }

  private void run() {
    while (!closed) {
      try {
        doAsked();
        epoll.await(asked.isEmpty() ? -1 : 0, this::handle);
      } catch (KernelException | RuntimeException e) {
        System.getLogger(Pump.class.getName())
            .log(System.Logger.Level.ERROR, "the loop that moves output", e);
      }
    }
  }

  private void doAsked() {
    for (Runnable work; (work = asked.poll()) != null; ) {
      work.run();
    }
  }

  /**
   * What was asked for before something happened is done before it: a client attached before the
   * start is there when the process's first output is moved.
   */
  private void handle(long key, int happened) {
    doAsked();
    try {
      if (key == WAKE_KEY) {
        wake.clear();
        return;
      }
      var found = watched.get(key);
      if (found != null) {
        found.ready(happened);
      }
    } catch (KernelException e) {
      System.getLogger(Pump.class.getName())
          .log(System.Logger.Level.WARNING, "moving output: {0}", e.getMessage());
    }
  }

  long watch(Fd fd, int interest, Watched by) throws KernelException {
    long key = ++lastKey;
    epoll.add(fd, interest, key);
    watched.put(key, by);
    return key;
  }

  void change(long key, Fd fd, int interest) throws KernelException {
    epoll.modify(fd, interest, key);
  }

  void forget(long key, Fd fd) {
    if (watched.remove(key) != null) {
      try {
        epoll.remove(fd);
      } catch (KernelException e) {
        // Closed already, which removes it too.
        return;
      }
    }
  }

  /** A pipe for copies, empty between uses. */
  Pipe scratch() {
    return scratch;
  }

  /** Largest batch. */
  int mostAtATime() {
    return mostAtATime;
  }

  /** Room for one batch where the kernel can write. */
  MemorySegment nativeBatch() {
    return nativeBatch;
  }

  /** Room for lines on their way to a log. */
  LogPage page() {
    return page;
  }

  /** Where unwanted bytes go. */
  Fd nowhere() {
    return nowhere;
  }

  /** What stands for a stream that has ended: a pipe that has. */
  Fd atEnd() {
    return atEnd;
  }

  @Override
  public void close() {
    closed = true;
    ask(() -> {});
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    epoll.close();
    wake.close();
    scratch.close();
    nowhere.close();
    atEnd.close();
  }
}
