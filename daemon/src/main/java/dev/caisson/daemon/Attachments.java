package dev.caisson.daemon;

import dev.caisson.engine.ExecId;
import dev.caisson.engine.streams.ProcessStreams;
import dev.caisson.library.CaissonException;
import dev.caisson.library.Reason;
import dev.caisson.linux.Fd;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Clients on their way to the streams of a process. An attaching call makes a token; connections
 * opened with it are connected at once, or, when the container does not run yet, at its start.
 * Thread-safe.
 */
final class Attachments {
  private static final int MOST_TOKENS = 10_000;

  private final Map<String, Attachment> tokens = new HashMap<>(); // guarded by this
  private final Map<String, List<Waiting>> waiting =
      new HashMap<>(); // by container; guarded by this

  /** The process whose streams a client wants. */
  record Attachment(String container, Optional<ExecId> exec) {}

  /** A connection that is there before its process. */
  record Waiting(String stream, Fd socket) {}

  /** Makes a token. */
  synchronized String register(Attachment attachment) {
    if (tokens.size() >= MOST_TOKENS) {
      tokens.clear();
    }
    var token = Names.newId();
    tokens.put(token, attachment);
    return token;
  }

  /**
   * What a token stands for.
   *
   * @throws CaissonException {@code NOT_FOUND}
   */
  synchronized Attachment find(String token) {
    var found = tokens.get(token);
    if (found == null) {
      throw new CaissonException(
          Reason.NOT_FOUND, "open a stream", "there is no such attachment", "attach again");
    }
    return found;
  }

  /** Keeps a connection until the container's start. */
  synchronized void await(String container, String stream, Fd socket) {
    waiting.computeIfAbsent(container, _ -> new ArrayList<>()).add(new Waiting(stream, socket));
  }

  /** Connects those who waited; the first of each stream is the one that is never left behind. */
  void connectWaiting(String container, ProcessStreams streams) throws IOException {
    List<Waiting> all;
    synchronized (this) {
      all = Optional.ofNullable(waiting.remove(container)).orElse(List.of());
    }
    var seen = new HashSet<String>();
    for (var client : all) {
      connect(streams, client.stream(), client.socket(), seen.add(client.stream()));
    }
  }

  /** Gives up those who waited for a container that is removed. */
  synchronized void drop(String container) {
    Optional.ofNullable(waiting.remove(container))
        .ifPresent(all -> all.forEach(client -> client.socket().close()));
  }

  /** Connects one client's socket. */
  static void connect(ProcessStreams streams, String stream, Fd socket, boolean primary)
      throws IOException {
    switch (stream) {
      case "stdin" -> streams.attachInput(socket);
      case "stdout" -> streams.attachOutput(socket, false, primary);
      case "stderr" -> streams.attachOutput(socket, true, primary);
      default -> throw new IllegalArgumentException("stream '" + stream + "'");
    }
  }
}
