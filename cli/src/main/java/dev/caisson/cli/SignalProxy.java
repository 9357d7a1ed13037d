package dev.caisson.cli;

import dev.caisson.library.Attachment;
import dev.caisson.library.CaissonException;
import java.util.List;

/** Hands signals sent to this program on to the process in the container. */
final class SignalProxy implements Signals.Receiver {
  private static final List<String> NAMES =
      List.of("INT", "TERM", "HUP", "QUIT", "USR1", "USR2", "CONT", "ALRM");

  /** So many requests to end are passed on; after them the user wants this program to end. */
  private static final int PATIENCE = 3;

  private final Attachment process;
  private final Runnable giveUp;
  private boolean started; // guarded by this
  private String early = ""; // guarded by this
  private int requests; // guarded by this

  SignalProxy(Attachment process, Runnable giveUp) {
    this.process = process;
    this.giveUp = giveUp;
  }

  void install(Signals signals) {
    signals.receive(NAMES, this);
  }

  /** From now on there is somebody to receive; what came before is handed on. */
  void started() {
    String waiting;
    synchronized (this) {
      started = true;
      waiting = early;
    }
    if (!waiting.isEmpty()) {
      send(waiting);
    }
  }

  @Override
  public void received(String name) {
    synchronized (this) {
      if (name.equals("INT") || name.equals("TERM")) {
        requests++;
        if (requests >= PATIENCE) {
          giveUp.run();
          return;
        }
      }
      if (!started) {
        early = name;
        return;
      }
    }
    send(name);
  }

  private void send(String name) {
    try {
      process.kill(name);
    } catch (CaissonException ended) {
      // A signal that comes too late has nobody to tell; how it ended is told anyway.
    }
  }
}
