package dev.caisson.daemon;

import dev.caisson.engine.ExecId;
import dev.caisson.engine.streams.ProcessStreams;
import dev.caisson.library.AttachSettings;
import dev.caisson.library.CaissonException;
import dev.caisson.library.Reason;
import dev.caisson.linux.Fd;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
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

  /** Which streams of which process a client wants. */
  record Attachment(String container, Optional<ExecId> exec, AttachSettings settings) {}

  /** A connection that is there before its process. */
  record Waiting(AttachSettings settings, String stream, Fd socket) {}

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
  synchronized void await(String container, AttachSettings settings, String stream, Fd socket) {
    waiting
        .computeIfAbsent(container, _ -> new ArrayList<>())
        .add(new Waiting(settings, stream, socket));
  }

  /** Connects those who waited; the first of each stream is the one that is never left behind. */
  void connectWaiting(String container, ProcessStreams streams) throws IOException {
    List<Waiting> all;
    synchronized (this) {
      all = Optional.ofNullable(waiting.remove(container)).orElse(List.of());
    }
    var out = true;
    var error = true;
    for (var client : all) {
      var isError = client.stream().equals("stderr");
      connect(streams, client.settings(), client.stream(), client.socket(), isError ? error : out);
      error &= !isError;
      out &= isError;
    }
  }

  /** Gives up those who waited for a container that is removed. */
  synchronized void drop(String container) {
    Optional.ofNullable(waiting.remove(container))
        .ifPresent(all -> all.forEach(client -> client.socket().close()));
  }

  /** Connects one client's socket. */
  static void connect(
      ProcessStreams streams, AttachSettings settings, String stream, Fd socket, boolean primary)
      throws IOException {
    if (stream.equals("stderr")) {
      streams.attachOutput(socket, true, primary);
      return;
    }
    if (settings.stdin()) {
      streams.attachInput(socket.duplicate());
    }
    if (settings.stdout()) {
      streams.attachOutput(socket, false, primary);
    } else {
      socket.close();
    }
  }
}
