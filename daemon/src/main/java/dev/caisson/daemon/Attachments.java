package dev.caisson.daemon;

import dev.caisson.engine.ExecId;
import dev.caisson.engine.streams.Parting;
import dev.caisson.engine.streams.ProcessStreams;
import dev.caisson.engine.streams.Receiver;
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
import java.util.concurrent.ConcurrentHashMap;

/**
 * Clients on their way to the streams of a process. An attaching call makes a token; connections
 * opened with it are connected at once, or, when the container does not run yet, at its start.
 * Thread-safe.
 */
final class Attachments {
  private static final int MOST_TOKENS = 10_000;

  private final Map<String, Attachment> tokens = new HashMap<>(); // guarded by this
  private final Map<String, List<Stream>> waiting =
      new HashMap<>(); // by container; guarded by this

  /**
   * The process whose streams a client wants.
   *
   * @param parted how those of its streams ended that have
   */
  record Attachment(String container, Optional<ExecId> exec, Map<String, Parting> parted) {
    Attachment(String container, Optional<ExecId> exec) {
      this(container, exec, new ConcurrentHashMap<>());
    }

    /** One of its streams. */
    Stream stream(String name, Fd socket, Optional<Fd> direct) {
      return new Stream(name, new Receiver(socket, direct, parting -> parted.put(name, parting)));
    }
  }

  /** A stream that is opened: {@code stdin}, of which only the connection counts, or output. */
  record Stream(String name, Receiver client) {}

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

  /** Whether nobody else waits for this stream of a container. */
  synchronized boolean isFirst(String container, String stream) {
    return waiting.getOrDefault(container, List.of()).stream()
        .noneMatch(other -> other.name().equals(stream));
  }

  /** Keeps a connection until the container's start. */
  synchronized void await(String container, Stream stream) {
    waiting.computeIfAbsent(container, _ -> new ArrayList<>()).add(stream);
  }

  /** Connects those who waited; the first of each stream is the one that is never left behind. */
  void connectWaiting(String container, ProcessStreams streams) throws IOException {
    List<Stream> all;
    synchronized (this) {
      all = Optional.ofNullable(waiting.remove(container)).orElse(List.of());
    }
    var seen = new HashSet<String>();
    for (var stream : all) {
      connect(streams, stream, seen.add(stream.name()));
    }
  }

  /** Gives up those who waited for a container that is removed. */
  synchronized void drop(String container) {
    Optional.ofNullable(waiting.remove(container))
        .ifPresent(all -> all.forEach(stream -> stream.client().close()));
  }

  /** Connects one stream. */
  static void connect(ProcessStreams streams, Stream stream, boolean primary) throws IOException {
    switch (stream.name()) {
      case "stdin" -> streams.attachInput(stream.client().socket());
      case "stdout" -> streams.attachOutput(stream.client(), false, primary);
      case "stderr" -> streams.attachOutput(stream.client(), true, primary);
      default -> throw new IllegalArgumentException("stream '" + stream.name() + "'");
    }
  }
}
