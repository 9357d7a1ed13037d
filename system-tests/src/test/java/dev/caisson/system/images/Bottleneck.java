package dev.caisson.system.images;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A way to a server on loopback that lets so many bytes of a connection through and then breaks it,
 * or lets nothing more through.
 */
final class Bottleneck implements AutoCloseable {
  private static final int BUFFER = 16 << 10;

  /** What happens to a connection that has brought its part. */
  enum Then {
    BREAK,
    HOLD
  }

  private final ServerSocket listening;
  private final int target;
  private final long part;
  private final Then then;
  private final AtomicLong passed = new AtomicLong();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final CompletableFuture<Void> full = new CompletableFuture<>();
  private final CompletableFuture<Void> abandoned = new CompletableFuture<>();
  private volatile boolean open;

  private Bottleneck(ServerSocket listening, int target, long part, Then then) {
    this.listening = listening;
    this.target = target;
    this.part = part;
    this.then = then;
  }

  static Bottleneck to(int target, long part, Then then) throws IOException {
    var listening = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"));
    var bottleneck = new Bottleneck(listening, target, part, then);
    Thread.ofVirtual().start(bottleneck::accept);
    return bottleneck;
  }

  String host() {
    return "127.0.0.1:" + listening.getLocalPort();
  }

  /** Bytes that went to clients. */
  long passed() {
    return passed.get();
  }

  /** Comes when a connection has brought its part. */
  CompletableFuture<Void> full() {
    return full;
  }

  /** Comes when the client of a connection that is held has closed it. */
  CompletableFuture<Void> abandoned() {
    return abandoned;
  }

  /** From now on everything passes. */
  void widen() {
    open = true;
  }

  private void accept() {
    while (true) {
      try {
        var client = listening.accept();
        var server = new Socket();
        sockets.addAll(List.of(client, server));
        server.connect(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), target));
        Thread.ofVirtual().start(() -> copy(client, server, Long.MAX_VALUE));
        Thread.ofVirtual().start(() -> copy(server, client, part));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void copy(Socket from, Socket to, long most) {
    try (from;
        to) {
      copyBytes(from.getInputStream(), to.getOutputStream(), most);
      if (most != Long.MAX_VALUE && then == Then.HOLD && full.isDone() && !open) {
        abandoned.join();
      }
    } catch (IOException e) {
      // Either end may break off at any time.
      return;
    } finally {
      if (most == Long.MAX_VALUE && full.isDone()) {
        abandoned.complete(null);
      }
    }
  }

  private void copyBytes(InputStream in, OutputStream out, long most) throws IOException {
    byte[] buffer = new byte[BUFFER];
    long left = most;
    while (true) {
      int count = in.read(buffer);
      if (count < 0) {
        return;
      }
      if (most != Long.MAX_VALUE) {
        passed.addAndGet(count);
      }
      out.write(buffer, 0, count);
      left -= count;
      if (left <= 0 && !open) {
        full.complete(null);
        return;
      }
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
    abandoned.complete(null);
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
