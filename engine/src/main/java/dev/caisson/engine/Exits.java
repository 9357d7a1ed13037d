package dev.caisson.engine;

import dev.caisson.linux.ProcessIdentity;
import java.time.Instant;
import java.util.function.Consumer;

/**
 * Where the exit statuses of containers' processes come from. Behind it stands whoever is their
 * parent: the keeper on a node, the agent itself in a guest.
 */
public interface Exits {

  /**
   * Hands over the exit of a process exactly once: at once when it has ended already, else when it
   * does. A process that ended unseen is reported with {@link ExitStatus#UNKNOWN}.
   */
  void watch(ProcessIdentity process, Consumer<Exit> listener);

  /** Tells that an exit was noted durably by its owner, so that it need not be kept any longer. */
  void acknowledge(ProcessIdentity process);

  /** An exit. */
  record Exit(ProcessIdentity process, ExitStatus status, Instant at) {}
}
