package dev.caisson.keeper;

import dev.caisson.linux.Child;
import dev.caisson.linux.Errno;
import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Prctl;
import dev.caisson.linux.ProcessIdentity;
import dev.caisson.linux.ProcessStatus;
import dev.caisson.linux.Reaping;
import dev.caisson.linux.Signal;
import dev.caisson.linux.Spawn;
import dev.caisson.linux.UnixSocket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Starts the daemon again and again, reaps everything, holds descriptors. Two threads: the main one
 * reaps, the other one serves the present daemon.
 */
final class Keeper {
  /** Exit code of a daemon that wants its keeper to end too. */
  static final int STOP = 86;

  /** Exit code of a daemon that cannot start, and could not a second time either. */
  static final int CANNOT_START = 87;

  /** The daemon's end of the pair has this number in the daemon. */
  static final int DAEMON_FD = 3;

  /** Tells the daemon the number, and that there is a keeper. */
  static final String VARIABLE = "CAISSON_KEEPER_FD";

  /** Tells the daemon that this keeper took the place of one that was killed. */
  static final String REPLACED = "CAISSON_KEEPER_REPLACED";

  private static final int MOST_HELD = 100_000;

  /** Descriptors left to the keeper itself: without them it could not even read a start time. */
  private static final int OWN_DESCRIPTORS = 64;

  private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long FIRST_PAUSE_MILLIS = 10;
  private static final long LONGEST_PAUSE_MILLIS = 5_000;
  private static final long END_LIMIT_SECONDS = 20;

  private final List<String> command;
  private final ExitLog log;
  private final boolean adopts;
  private final Map<String, List<Fd>> held = new HashMap<>(); // guarded by itself
  private final ByteBuffer exitMessage = ByteBuffer.allocate(1 + ExitRecord.SIZE);
  private final Object sending = new Object(); // one message to the daemon at a time
  private int heldCount; // guarded by held
  private Optional<Fd> toDaemon = Optional.empty(); // guarded by sending
  private final int mostHeld = mostHeld();
  private final CountDownLatch daemonEnded = new CountDownLatch(1);
  private final Object life = new Object(); // the daemon's start and end, and ours
  private boolean ending; // guarded by life
  private boolean running; // guarded by life
  private Child daemon; // guarded by life
  private Thread server = Thread.currentThread(); // serves the present daemon
  private long startedAt;
  private volatile boolean cameUp;
  private volatile boolean everServed;
  private boolean cannotStart;
  private long pauseMillis = FIRST_PAUSE_MILLIS;

  private Keeper(List<String> command, ExitLog log, boolean adopts) throws KernelException {
    this.command = command;
    this.log = log;
    this.adopts = adopts;
    if (adopts) {
      takeFromPredecessor();
    }
    daemon = start();
    running = true;
  }

  /** Takes what a daemon whose keeper was killed holds, until it ends. */
  private void takeFromPredecessor() {
    try (var link = new Fd(DAEMON_FD)) {
      serve(link);
    }
  }

  /** As many as the limit of open files leaves room for. Source: proc_pid_limits(5). */
  private static int mostHeld() {
    var name = "Max open files";
    try {
      for (var line : Files.readAllLines(Path.of("/proc/self/limits"))) {
        if (line.startsWith(name)) {
          var soft = line.substring(name.length()).strip().split(" ")[0];
          return soft.equals("unlimited")
              ? MOST_HELD
              : Math.clamp(Long.parseLong(soft) - OWN_DESCRIPTORS, 0, MOST_HELD);
        }
      }
    } catch (IOException e) {
      System.err.println("keeper: read the limit of open files: " + e.getMessage());
    }
    return MOST_HELD;
  }

  /**
   * Runs until the daemon stops for good; returns at once when another keeper has the directory.
   *
   * @param adopts take over from a daemon at descriptor {@link #DAEMON_FD} before starting one
   */
  static void run(Path directory, boolean adopts, List<String> command) throws IOException {
    Prctl.leaveSession();
    Prctl.becomeSubreaper();
    Files.createDirectories(directory);
    // The file is opened nowhere else here, so closing another descriptor of it cannot lose the
    // lock, as fcntl(2) warns.
    try (var lockFile =
        FileChannel.open(
            directory.resolve("keeper.lock"),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE)) {
      if (lockFile.tryLock() == null) {
        return;
      }
      try (var log = ExitLog.open(directory, ExitLog.MOST_RECORDS)) {
        var keeper = new Keeper(command, log, adopts);
        Runtime.getRuntime().addShutdownHook(new Thread(keeper::passOnTheEnd));
        keeper.reapAll();
        if (keeper.cannotStart) {
          throw new IOException("the daemon cannot start; see above");
        }
      }
    }
  }

  /** SIGTERM to the keeper ends the daemon, and so both. */
  private void passOnTheEnd() {
    try {
      synchronized (life) {
        if (ending) {
          return;
        }
        ending = true;
        life.notifyAll();
        if (running) {
          daemon.kill(Signal.TERM);
        }
      }
      if (!daemonEnded.await(END_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("keeper: the daemon goes on after SIGTERM, without a keeper");
      }
    } catch (KernelException e) {
      System.err.println("keeper: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void reapAll() throws IOException {
    try (var reaping = new Reaping()) {
      for (; ; ) {
        int pid;
        try {
          pid = reaping.next();
        } catch (KernelException e) {
          // No child at all: only between the daemon's end and its next start, which happens below.
          throw new IOException("nothing left to keep", e);
        }
        if (isDaemon(pid)) {
          if (!outlive(reaping, pid)) {
            return;
          }
        } else {
          long startTime = ProcessStatus.read(pid).map(ProcessStatus::startTime).orElse(0L);
          int status = reaping.reap(pid);
          tell(new ExitRecord(new ProcessIdentity(pid, startTime), status, Instant.now()));
        }
      }
    }
  }

  private boolean isDaemon(int pid) {
    synchronized (life) {
      return running && pid == daemon.pid();
    }
  }

  /** Reaps the daemon and starts the next one; false when the keeper ends too. */
  private boolean outlive(Reaping reaping, int pid) throws KernelException {
    synchronized (life) {
      // Reaped under the lock: a signal must not go to whoever gets its pid next.
      int status = reaping.reap(pid);
      running = false;
      // Once one has served there are containers to look after, so its successor is tried for ever.
      cameUp &= status != CANNOT_START << 8;
      cannotStart = status == CANNOT_START << 8 && !everServed;
      if (ending || cannotStart || status == STOP << 8) {
        ending = true;
        daemonEnded.countDown();
        return false;
      }
      System.err.println(
          Instant.now()
              + " keeper: the daemon ended with wait status "
              + status
              + ", starting it again");
    }
    endLink();
    // One that came as far as asking for its descriptors was killed rather than unable to start.
    if (cameUp || System.nanoTime() - startedAt > SOON_NANOS) {
      pauseMillis = FIRST_PAUSE_MILLIS;
    }
    cameUp = false;
    return restart();
  }

  /** Lets what the dead daemon asked for last be done before the next one asks. */
  private void endLink() {
    Fd link;
    synchronized (sending) {
      link = toDaemon.orElseThrow();
      toDaemon = Optional.empty();
    }
    UnixSocket.end(link);
    try {
      server.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    link.close();
  }

  /**
   * Starts the next daemon; ever more slowly when it dies at once, or cannot be started, again and
   * again: its program may be missing for the length of an upgrade. False when the keeper is to end
   * instead.
   */
  private boolean restart() {
    for (; ; ) {
      synchronized (life) {
        if (endsWithin(pauseMillis)) {
          daemonEnded.countDown();
          return false;
        }
        pauseMillis = Math.min(LONGEST_PAUSE_MILLIS, pauseMillis * 2);
        try {
          daemon = start();
          running = true;
          return true;
        } catch (KernelException e) {
          System.err.println(Instant.now() + " keeper: cannot start the daemon: " + e.getMessage());
        }
      }
    }
  }

  /** Waits, with {@code life} held, for the wish to end. */
  private boolean endsWithin(long millis) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    try {
      while (!ending) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
          return false;
        }
        life.wait(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return ending;
  }

  private void tell(ExitRecord exit) {
    try {
      log.add(exit);
    } catch (IOException e) {
      // Going on: an exit that is only told beats a keeper that is gone.
      System.err.println(Instant.now() + " keeper: " + exit + " is not in the log: " + e);
    }
    exitMessage.clear();
    exitMessage.put(Message.EXIT);
    exit.writeTo(exitMessage);
    synchronized (sending) {
      if (toDaemon.isPresent()) {
        try {
          UnixSocket.send(toDaemon.get(), exitMessage.array(), List.of());
        } catch (KernelException e) {
          // The daemon is gone or going; the next one reads the log.
          return;
        }
      }
    }
  }

  private Child start() throws KernelException {
    startedAt = System.nanoTime();
    var pair = UnixSocket.pair(UnixSocket.Kind.SEQPACKET);
    try {
      var environment = new HashMap<>(System.getenv());
      environment.put(VARIABLE, Integer.toString(DAEMON_FD));
      if (adopts) {
        environment.put(REPLACED, "yes");
      }
      var child =
          Spawn.of(command)
              .withEnvironment(environment)
              .withFds(List.of(new Fd(0), new Fd(1), new Fd(2), pair.second()))
              .start();
      pair.second().close();
      synchronized (sending) {
        toDaemon = Optional.of(pair.first());
      }
      server = Thread.ofPlatform().daemon().name("daemon-link").start(() -> serve(pair.first()));
      return child;
    } catch (KernelException e) {
      pair.close();
      throw e;
    }
  }

  private void serve(Fd link) {
    var buffer = new byte[Message.LONGEST];
    try {
      for (; ; ) {
        UnixSocket.Received message;
        try {
          message = UnixSocket.receive(link, buffer);
        } catch (KernelException e) {
          if (e.errno() != Errno.EMSGSIZE) {
            throw e;
          }
          reply(link, Message.REFUSED, "no room for more descriptors here", List.of());
          continue;
        }
        if (message.length() == 0) {
          return;
        }
        answer(link, buffer[0], Message.text(buffer, message.length()), message.descriptors());
      }
    } catch (KernelException | IllegalStateException e) {
      // The daemon's end closed under us: the reaper sees its death and starts the next.
      return;
    }
  }

  private void answer(Fd link, byte kind, String name, List<Fd> descriptors)
      throws KernelException {
    switch (kind) {
      case Message.HOLD -> {
        everServed = true;
        synchronized (held) {
          if (heldCount + descriptors.size() > mostHeld) {
            descriptors.forEach(Fd::close);
            reply(link, Message.REFUSED, "more than " + mostHeld + " descriptors", List.of());
            return;
          }
          drop(name);
          held.put(name, descriptors);
          heldCount += descriptors.size();
        }
        reply(link, Message.DONE, "", List.of());
      }
      case Message.DROP -> {
        synchronized (held) {
          drop(name);
        }
        reply(link, Message.DONE, "", List.of());
      }
      case Message.LIST -> {
        cameUp = true;
        synchronized (held) {
          for (var entry : held.entrySet()) {
            reply(link, Message.ITEM, entry.getKey(), entry.getValue());
          }
        }
        reply(link, Message.DONE, "", List.of());
      }
      default -> {
        descriptors.forEach(Fd::close);
        reply(link, Message.REFUSED, "unknown message " + kind, List.of());
      }
    }
  }

  private void drop(String name) {
    var dropped = held.remove(name);
    if (dropped != null) {
      heldCount -= dropped.size();
      dropped.forEach(Fd::close);
    }
  }

  private void reply(Fd link, byte kind, String text, List<Fd> descriptors) throws KernelException {
    synchronized (sending) {
      Message.send(link, kind, text, descriptors);
    }
  }
}
