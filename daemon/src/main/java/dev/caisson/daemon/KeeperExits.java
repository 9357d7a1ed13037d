package dev.caisson.daemon;

import dev.caisson.engine.ExitStatus;
import dev.caisson.engine.Exits;
import dev.caisson.engine.streams.DescriptorStore;
import dev.caisson.keeper.ExitRecord;
import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Pidfd;
import dev.caisson.linux.ProcessIdentity;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Exits as the keeper tells them. An exit may be told before anybody watches for it, since a short
 * program can be over before its start has returned; so the last ones are remembered. Processes
 * whose exit nobody can tell (the keeper was killed) are watched through their pidfds.
 */
final class KeeperExits implements Exits {
  private static final int REMEMBERED = 65_536;
  private static final String PIDFD = "exit/";
  private static final int REAPING_LIMIT_MILLIS = 5_000;
  private static final long TELLING_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Map<ProcessIdentity, Consumer<Exit>> listeners = new HashMap<>(); // guarded by this
  private final Map<ProcessIdentity, Exit> unclaimed = new HashMap<>(); // guarded by this
  private final ArrayDeque<ProcessIdentity> order = new ArrayDeque<>(); // guarded by this
  private final Map<ProcessIdentity, Pidfd> pidfds = new HashMap<>(); // guarded by this
  private DescriptorStore store = DescriptorStore.none(); // guarded by this
  private boolean keeperGone; // guarded by this

  /** Takes what is on disk from before this daemon. */
  synchronized void recall(List<ExitRecord> exits) {
    exits.forEach(exit -> remember(exitOf(exit)));
  }

  /**
   * Takes the pidfds of processes that were started below an earlier keeper: the present one is not
   * told of their exits.
   *
   * @param held all that the keeper holds
   * @param store holds them until the process's exit is told
   * @return how many
   */
  synchronized int recall(Map<String, List<Fd>> held, DescriptorStore store) {
    this.store = store;
    for (var entry : held.entrySet()) {
      if (entry.getKey().startsWith(PIDFD)) {
        var words = entry.getKey().split("/");
        var process = new ProcessIdentity(Integer.parseInt(words[1]), Long.parseLong(words[2]));
        pidfds.put(process, Pidfd.of(entry.getValue().getFirst(), process.pid()));
      }
    }
    return pidfds.size();
  }

  private static String nameOf(ProcessIdentity process) {
    return PIDFD + process.pid() + "/" + process.startTime();
  }

  /** The pidfds of processes that are watched by them, under names for a store. */
  synchronized Map<String, List<Fd>> watched() {
    var all = new HashMap<String, List<Fd>>();
    pidfds.forEach((process, pidfd) -> all.put(nameOf(process), List.of(pidfd.fd())));
    return all;
  }

  /** Takes an exit from the keeper. */
  void tell(ExitRecord record) {
    var exit = exitOf(record);
    Optional<Consumer<Exit>> listener;
    synchronized (this) {
      listener = Optional.ofNullable(listeners.remove(exit.process()));
      if (listener.isEmpty()) {
        remember(exit);
      }
      notifyAll();
    }
    listener.ifPresent(l -> l.accept(exit));
  }

  private static Exit exitOf(ExitRecord record) {
    return new Exit(record.process(), ExitStatus.ofWaitStatus(record.waitStatus()), record.at());
  }

  private void remember(Exit exit) {
    if (unclaimed.put(exit.process(), exit) == null) {
      order.add(exit.process());
    }
    while (order.size() > REMEMBERED) {
      unclaimed.remove(order.removeFirst());
    }
  }

  @Override
  public void watch(ProcessIdentity process, Consumer<Exit> listener) {
    Optional<Exit> known;
    boolean byPidfd;
    synchronized (this) {
      known = claim(process);
      if (known.isEmpty()) {
        listeners.put(process, listener);
      }
      byPidfd = keeperGone || pidfds.containsKey(process);
    }
    if (known.isPresent()) {
      listener.accept(known.get());
    } else if (byPidfd || !process.isAlive() && !isZombie(process)) {
      watchByPidfd(process);
    }
  }

  /** A zombie is about to be reaped by the keeper, who will tell. */
  private static boolean isZombie(ProcessIdentity process) {
    return ProcessIdentity.of(process.pid()).equals(Optional.of(process));
  }

  /**
   * A process whose start time could not be read any more is known by its pid, the latest exit of
   * that pid is meant.
   */
  private Optional<Exit> claim(ProcessIdentity process) {
    var exact = unclaimed.remove(process);
    if (exact != null) {
      return Optional.of(exact);
    }
    if (process.startTime() != 0) {
      return Optional.empty();
    }
    for (var it = order.descendingIterator(); it.hasNext(); ) {
      var candidate = it.next();
      if (candidate.pid() == process.pid() && unclaimed.containsKey(candidate)) {
        return Optional.of(unclaimed.remove(candidate));
      }
    }
    return Optional.empty();
  }

  /** The keeper is gone: from now on each process is watched by itself. */
  void keeperIsGone() {
    List<ProcessIdentity> all;
    synchronized (this) {
      keeperGone = true;
      notifyAll();
      all = List.copyOf(listeners.keySet());
    }
    all.forEach(this::watchByPidfd);
  }

  private void watchByPidfd(ProcessIdentity process) {
    Optional<Pidfd> pidfd;
    try {
      pidfd = pidfd(process);
    } catch (KernelException e) {
      warn(process, e);
      pidfd = Optional.empty();
    }
    var watched = pidfd;
    Thread.ofPlatform()
        .daemon()
        .name("pidfd-" + process.pid())
        .start(() -> {
          var status = watched.map(open -> await(process, open)).orElse(ExitStatus.UNKNOWN);
          if (status.equals(ExitStatus.UNKNOWN)) {
            awaitTelling(process);
          }
          fire(new Exit(process, status, Instant.now()));
          watched.ifPresent(open -> forget(process, open));
        });
  }

  /** Opened at once and kept until the exit is told, so that whoever comes next can have it. */
  private synchronized Optional<Pidfd> pidfd(ProcessIdentity process) throws KernelException {
    var known = pidfds.get(process);
    if (known != null) {
      return Optional.of(known);
    }
    var opened = Pidfd.open(process);
    opened.ifPresent(pidfd -> pidfds.put(process, pidfd));
    return opened;
  }

  private static ExitStatus await(ProcessIdentity process, Pidfd pidfd) {
    try {
      pidfd.awaitEnd(-1);
      pidfd.awaitReaping(REAPING_LIMIT_MILLIS);
      var told = pidfd.waitStatus();
      return told.isPresent() ? ExitStatus.ofWaitStatus(told.getAsInt()) : ExitStatus.UNKNOWN;
    } catch (KernelException e) {
      warn(process, e);
      return ExitStatus.UNKNOWN;
    }
  }

  private void forget(ProcessIdentity process, Pidfd pidfd) {
    DescriptorStore holder;
    synchronized (this) {
      pidfds.remove(process);
      holder = store;
    }
    pidfd.close();
    try {
      holder.drop(nameOf(process));
    } catch (IOException e) {
      warn(process, e);
    }
  }

  private static void warn(ProcessIdentity process, IOException e) {
    System.getLogger(KeeperExits.class.getName())
        .log(System.Logger.Level.WARNING, "watch process {0}: {1}", process.pid(), e.getMessage());
  }

  /** Between the keeper's reaping and what it tells of it, a process is gone but not yet told. */
  private synchronized void awaitTelling(ProcessIdentity process) {
    var end = System.nanoTime() + TELLING_LIMIT_NANOS;
    try {
      while (!keeperGone && listeners.containsKey(process)) {
        var left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        if (left <= 0) {
          return;
        }
        wait(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void fire(Exit exit) {
    Consumer<Exit> listener;
    Exit best;
    synchronized (this) {
      listener = listeners.remove(exit.process());
      best = claim(exit.process()).orElse(exit);
    }
    if (listener != null) {
      listener.accept(best);
    }
  }

  @Override
  public void acknowledge(ProcessIdentity process) {
    // The exit log is bounded by itself, and an exit that was claimed is not remembered.
  }
}
