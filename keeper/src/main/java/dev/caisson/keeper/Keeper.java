package dev.caisson.keeper;

import dev.caisson.linux.Child;
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

  /** The daemon's end of the pair has this number in the daemon. */
  static final int DAEMON_FD = 3;

  /** Tells the daemon the number, and that there is a keeper. */
  static final String VARIABLE = "CAISSON_KEEPER_FD";

  private static final int MOST_HELD = 100_000;
  private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long FIRST_PAUSE_MILLIS = 10;
  private static final long LONGEST_PAUSE_MILLIS = 5_000;
  private static final long END_LIMIT_SECONDS = 20;

  private final List<String> command;
  private final ExitLog log;
  private final Map<String, List<Fd>> held = new HashMap<>(); // guarded by itself
  private final ByteBuffer exitMessage = ByteBuffer.allocate(1 + ExitRecord.SIZE);
  private final Object sending = new Object(); // one message to the daemon at a time
  private int heldCount; // guarded by held
  private Optional<Fd> toDaemon = Optional.empty(); // guarded by sending
  private final CountDownLatch daemonEnded = new CountDownLatch(1);
  private volatile boolean ending;
  private Child daemon;
  private long startedAt;
  private long pauseMillis = FIRST_PAUSE_MILLIS;

  private Keeper(List<String> command, ExitLog log) throws KernelException {
    this.command = command;
    this.log = log;
    daemon = start();
  }

  /**
   * Runs until the daemon stops for good; returns at once when another keeper has the directory.
   */
  static void run(Path directory, List<String> command) throws IOException {
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
        var keeper = new Keeper(command, log);
        Runtime.getRuntime().addShutdownHook(new Thread(keeper::passOnTheEnd));
        keeper.reapAll();
      }
    }
  }

  /** SIGTERM to the keeper ends the daemon, and so both. */
  private void passOnTheEnd() {
    if (ending) {
      return;
    }
    ending = true;
    try {
      daemon.kill(Signal.TERM);
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
        long startTime = ProcessStatus.read(pid).map(ProcessStatus::startTime).orElse(0L);
        int status = reaping.reap(pid);
        if (pid != daemon.pid()) {
          tell(new ExitRecord(new ProcessIdentity(pid, startTime), status, Instant.now()));
        } else if (ending || status == STOP << 8) {
          ending = true;
          daemonEnded.countDown();
          return;
        } else {
          System.err.println(
              Instant.now()
                  + " keeper: the daemon ended with wait status "
                  + status
                  + ", starting it again");
          restart();
        }
      }
    }
  }

  private void tell(ExitRecord exit) throws IOException {
    log.add(exit);
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

  /** A daemon that dies at once again and again is started ever more slowly. */
  private void restart() throws KernelException {
    synchronized (sending) {
      toDaemon.ifPresent(Fd::close);
      toDaemon = Optional.empty();
    }
    if (System.nanoTime() - startedAt > SOON_NANOS) {
      pauseMillis = FIRST_PAUSE_MILLIS;
    } else {
      pauseMillis = Math.min(LONGEST_PAUSE_MILLIS, pauseMillis * 2);
    }
    try {
      Thread.sleep(pauseMillis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    daemon = start();
  }

  private Child start() throws KernelException {
    startedAt = System.nanoTime();
    var pair = UnixSocket.pair(UnixSocket.Kind.SEQPACKET);
    try {
      var environment = new HashMap<>(System.getenv());
      environment.put(VARIABLE, Integer.toString(DAEMON_FD));
      var child =
          Spawn.of(command)
              .withEnvironment(environment)
              .withFds(List.of(new Fd(0), new Fd(1), new Fd(2), pair.second()))
              .start();
      pair.second().close();
      synchronized (sending) {
        toDaemon = Optional.of(pair.first());
      }
      Thread.ofPlatform().daemon().name("daemon-link").start(() -> serve(pair.first()));
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
        var message = UnixSocket.receive(link, buffer);
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
        synchronized (held) {
          if (heldCount + descriptors.size() > MOST_HELD) {
            descriptors.forEach(Fd::close);
            reply(link, Message.REFUSED, "more than " + MOST_HELD + " descriptors", List.of());
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
