package dev.caisson.engine.streams;

import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.NonBlocking;
import dev.caisson.linux.UnixSocket;
import java.lang.foreign.Arena;

/** The end of a connection with a client. */
final class ClientSocket {
  private static final int CHUNK = 16 << 10;

  private ClientSocket() {}

  /**
   * Ends and closes a connection so that its client reads what was sent and then the end. Input
   * nobody took is thrown away first: closed over it, the client would read an error instead of the
   * end. Source: unix(7), ECONNRESET.
   */
  static void end(Fd socket) {
    UnixSocket.end(socket);
    try (var arena = Arena.ofConfined()) {
      var unwanted = arena.allocate(CHUNK);
      long got;
      do {
        got = NonBlocking.read(socket, unwanted);
      } while (got > 0);
    } catch (KernelException e) {
      // The client was gone before.
      return;
    } finally {
      socket.close();
    }
  }
}
