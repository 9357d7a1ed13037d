package dev.caisson.library;

import dev.caisson.json.Json;
import dev.caisson.library.protocol.Failure;
import dev.caisson.library.protocol.Request;
import dev.caisson.library.protocol.Wire;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * One connection to the daemon: calls one after another, or, once opened as one, a raw stream. Not
 * thread-safe.
 */
final class Connection implements AutoCloseable {
  private static final int BUFFER = 16 << 10;

  private final SocketChannel channel;
  private final ByteBuffer in = ByteBuffer.allocate(BUFFER).flip();

  private Connection(SocketChannel channel) {
    this.channel = channel;
  }

  /** Connects; fails with the channel's exception when nobody listens. */
  static Connection open(Path socket) throws IOException {
    var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.connect(UnixDomainSocketAddress.of(socket));
      return new Connection(channel);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /**
   * Makes a call and reads its result.
   *
   * @throws IOException when the connection broke, so that nobody knows what became of the call
   * @throws CaissonException when the daemon answered with a failure
   */
  <T> T call(Request request, Class<T> result, Consumer<byte[]> items) throws IOException {
    send(request);
    for (; ; ) {
      var line = readLine();
      var kind = Wire.kind(line);
      var body = Wire.body(line, kind);
      switch (kind) {
        case RESULT -> {
          return Json.read(body, result);
        }
        case ITEM -> items.accept(body);
        case ERROR -> throw Json.read(body, Failure.class).exception();
      }
    }
  }

  void send(Request request) throws IOException {
    var out = ByteBuffer.wrap(Wire.request(request));
    while (out.hasRemaining()) {
      channel.write(out);
    }
  }

  /** The next line without its newline. */
  byte[] readLine() throws IOException {
    var line = new byte[256];
    int length = 0;
    for (; ; ) {
      while (in.hasRemaining()) {
        byte b = in.get();
        if (b == '\n') {
          return Arrays.copyOf(line, length);
        }
        if (length == line.length) {
          if (length >= Wire.LONGEST_LINE) {
            throw new IOException("a line of the daemon is longer than " + length + " bytes");
          }
          line = Arrays.copyOf(line, length * 2);
        }
        line[length++] = b;
      }
      in.clear();
      int got = channel.read(in);
      in.flip();
      if (got < 0) {
        throw new EOFException("the daemon closed the connection");
      }
    }
  }

  /** Reads raw bytes, once this connection is a stream; -1 at the end. */
  int read(byte[] bytes, int offset, int length) throws IOException {
    if (in.hasRemaining()) {
      int n = Math.min(length, in.remaining());
      in.get(bytes, offset, n);
      return n;
    }
    return channel.read(ByteBuffer.wrap(bytes, offset, length));
  }

  /** Writes raw bytes, once this connection is a stream. */
  void write(byte[] bytes, int offset, int length) throws IOException {
    var out = ByteBuffer.wrap(bytes, offset, length);
    while (out.hasRemaining()) {
      channel.write(out);
    }
  }

  /** Tells the daemon that nothing more is sent. */
  void endInput() throws IOException {
    channel.shutdownOutput();
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      // Nothing is lost: a socket is gone after close(2) whatever it answers.
    }
  }
}
