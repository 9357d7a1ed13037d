package dev.caisson.library;

import dev.caisson.json.Json;
import dev.caisson.library.protocol.Listing;
import dev.caisson.library.protocol.Request;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;

/** The {@link Caisson} of a daemon at the other end of a socket. */
final class Client implements Caisson {
  private static final int IDLE_KEPT = 4;
  private static final long RETRY_LIMIT_NANOS = 15_000_000_000L;
  private static final long RETRY_PAUSE_MILLIS = 20;

  private final Root root;
  private final DaemonStart start;
  private final ArrayDeque<Connection> idle = new ArrayDeque<>(); // guarded by itself
  private volatile boolean closed;

  Client(Root root, DaemonStart start) {
    this.root = root;
    this.start = start;
    var connection =
        switch (start) {
          case ON_DEMAND -> connectOrStart();
          case PRIVATE -> startPrivate();
        };
    giveBack(connection);
  }

  private Connection connectOrStart() {
    try {
      return Connection.open(root.socket());
    } catch (IOException nobodyListens) {
      return new Launcher(root).start(List.of());
    }
  }

  private Connection startPrivate() {
    try {
      Connection.open(root.socket()).close();
      throw new CaissonException(
          Reason.ALREADY_EXISTS,
          "open a private node in " + root.state(),
          "a daemon of this state root is running",
          "use a directory of its own, or connect to it");
    } catch (IOException free) {
      return new Launcher(root)
          .start(List.of("--owner", Long.toString(ProcessHandle.current().pid())));
    }
  }

  @Override
  public Containers containers() {
    return new RemoteContainers(this, false);
  }

  @Override
  public Images images() {
    return new RemoteImages(this);
  }

  @Override
  public NodeInfo info() {
    return repeatable(new Request.Info(), NodeInfo.class);
  }

  @Override
  public NodeCheck check() {
    return repeatable(new Request.Check(), NodeCheck.class);
  }

  @Override
  public String daemonVersion() {
    return repeatable(new Request.Version(), Listing.Text.class).text();
  }

  @Override
  public void events(EventFilter filter, Consumer<NodeEvent> listener) {
    call(
        new Request.Events(filter),
        Done.class,
        body -> listener.accept(Json.read(body, NodeEvent.class)));
  }

  @Override
  public void shutdownDaemon() {
    call(new Request.Shutdown(), Done.class, Client::noItems);
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    if (start == DaemonStart.PRIVATE) {
      shutdownDaemon();
    }
    closed = true;
    synchronized (idle) {
      idle.forEach(Connection::close);
      idle.clear();
    }
  }

  /** A result that tells nothing. */
  record Done() {}

  static void noItems(byte[] body) {
    throw new IllegalStateException("an item where none belongs");
  }

  /** A call whose outcome is unknown when the daemon ends in the middle of it. */
  <T> T call(Request request, Class<T> result, Consumer<byte[]> items) {
    return call(take(), request, result, items);
  }

  private <T> T call(
      Connection connection, Request request, Class<T> result, Consumer<byte[]> items) {
    var whole = false;
    try {
      var answer = connection.call(request, result, items);
      whole = true;
      return answer;
    } catch (CaissonException e) {
      whole = true;
      throw e;
    } catch (IOException e) {
      throw broken(request, e);
    } finally {
      if (whole) {
        giveBack(connection);
      } else {
        connection.close();
      }
    }
  }

  /**
   * A call that changes nothing, or nothing more when made twice: repeated when the daemon was
   * replaced meanwhile.
   */
  <T> T repeatable(Request request, Class<T> result) {
    var deadline = System.nanoTime() + RETRY_LIMIT_NANOS;
    for (; ; ) {
      var connected = false;
      try {
        var connection = take();
        connected = true;
        return call(connection, request, result, Client::noItems);
      } catch (CaissonException e) {
        if (!(e.getCause() instanceof IOException) || isPast(deadline) || closed) {
          throw e;
        }
      }
      if (connected) {
        // A daemon listened, so it is its successor that is waited for from now on.
        deadline = System.nanoTime() + RETRY_LIMIT_NANOS;
      }
      try {
        Thread.sleep(RETRY_PAUSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CaissonException(Reason.UNAVAILABLE, describe(request), "interrupted", "");
      }
    }
  }

  private static boolean isPast(long deadline) {
    return System.nanoTime() - deadline > 0;
  }

  /** A connection of the caller's own, for a stream or a long answer. */
  Connection take() {
    synchronized (idle) {
      var kept = idle.pollFirst();
      if (kept != null) {
        return kept;
      }
    }
    try {
      return Connection.open(root.socket());
    } catch (IOException e) {
      throw new CaissonException(
          Reason.UNAVAILABLE,
          "connect to the daemon at " + root.socket(),
          String.valueOf(e.getMessage()),
          "it starts again by itself within a second; see " + root.daemonLog(),
          e);
    }
  }

  void giveBack(Connection connection) {
    synchronized (idle) {
      if (!closed && idle.size() < IDLE_KEPT) {
        idle.addFirst(connection);
        return;
      }
    }
    connection.close();
  }

  CaissonException broken(Request request, IOException e) {
    // What was kept idle belongs to the daemon that ended.
    synchronized (idle) {
      idle.forEach(Connection::close);
      idle.clear();
    }
    return new CaissonException(
        Reason.UNAVAILABLE,
        describe(request),
        "the connection to the daemon broke: " + e.getMessage(),
        "look with 'caisson ps -a' whether it was done",
        e);
  }

  private static String describe(Request request) {
    return request.getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT);
  }
}
