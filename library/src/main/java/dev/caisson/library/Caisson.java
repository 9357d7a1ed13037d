package dev.caisson.library;

import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * A node: the containers, images and events of one state root.
 *
 * <p>All calls block until the work is done and may be made from any number of threads. Failures
 * are {@link CaissonException}s. Closing gives back the connection; containers go on.
 */
public interface Caisson extends AutoCloseable {

  /**
   * Connects to this machine's node, starting its daemon when none is listening. Same as {@code
   * connect(Root.usual())}.
   */
  static Caisson connect() {
    return connect(Root.usual());
  }

  /**
   * Connects to the daemon of a state root, starting it when none is listening.
   *
   * @throws CaissonException {@code UNAVAILABLE} when the daemon cannot be started, with the end of
   *     its log
   */
  static Caisson connect(Root root) {
    return new Client(root, DaemonStart.ON_DEMAND);
  }

  /**
   * Opens a private node with a state root of its own, for tests and tools: its daemon ends, and
   * its containers with it, when the returned node is closed or this program ends in any way. The
   * directory is made when it is missing and stays after the end (images remain usable).
   *
   * @param directory state root, best on a disk with room for images
   */
  static Caisson openPrivate(Path directory) {
    return new Client(Root.at(directory), DaemonStart.PRIVATE);
  }

  /** The containers of this node. */
  Containers containers();

  /** The images of this node. */
  Images images();

  /** What this machine and node are, have and lack. */
  NodeInfo info();

  /** The checks behind {@code caisson system check}: what this machine lacks and how to get it. */
  NodeCheck check();

  /**
   * Version of the daemon, which may differ from that of this library for the time of an upgrade.
   */
  String daemonVersion();

  /**
   * Hands every event to {@code listener}, in order, until this thread is interrupted, the listener
   * throws or the connection ends.
   */
  void events(EventFilter filter, Consumer<NodeEvent> listener);

  /**
   * Stops the daemon and its keeper; running containers go on and are taken over by the next
   * daemon.
   */
  void shutdownDaemon();

  @Override
  void close();
}
