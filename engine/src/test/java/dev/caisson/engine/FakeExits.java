package dev.caisson.engine;

import dev.caisson.linux.ProcessIdentity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A parent whose children end when a test says so. */
final class FakeExits implements Exits {
  private final Map<ProcessIdentity, Consumer<Exit>> listeners = new HashMap<>(); // guarded by this
  private final Map<ProcessIdentity, Exit> untold = new HashMap<>(); // guarded by this
  private final List<ProcessIdentity> acknowledged = new ArrayList<>(); // guarded by this

  /** A process ends; whoever watches it, now or later, is told. */
  void end(ProcessIdentity process, int status) {
    var exit = new Exit(process, new ExitStatus(status), Instant.now());
    Consumer<Exit> listener;
    synchronized (this) {
      listener = listeners.remove(process);
      if (listener == null) {
        untold.put(process, exit);
        return;
      }
    }
    listener.accept(exit);
  }

  /** Those who watched are dead; exits are kept for who comes after them. */
  synchronized void loseListeners() {
    listeners.clear();
  }

  @Override
  public void watch(ProcessIdentity process, Consumer<Exit> listener) {
    Exit exit;
    synchronized (this) {
      exit = untold.remove(process);
      if (exit == null) {
        listeners.put(process, listener);
        return;
      }
    }
    listener.accept(exit);
  }

  @Override
  public synchronized void acknowledge(ProcessIdentity process) {
    acknowledged.add(process);
  }

  synchronized List<ProcessIdentity> acknowledged() {
    return List.copyOf(acknowledged);
  }
}
