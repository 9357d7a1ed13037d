package dev.caisson.daemon;

import dev.caisson.json.Json;
import dev.caisson.json.JsonException;
import dev.caisson.library.CaissonException;
import dev.caisson.library.Reason;
import dev.caisson.library.protocol.Failure;
import dev.caisson.library.protocol.Request;
import dev.caisson.library.protocol.Wire;
import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.UnixSocket;
import java.io.IOException;

/**
 * Listens on the node's socket; a platform thread for each connection, since what it does blocks in
 * the kernel.
 */
final class ApiServer {
  private static final long ACCEPT_PAUSE_MILLIS = 100;

  private final Fd listening;
  private final Calls calls;
  private final Failures failures;
  private final int ownUid;

  ApiServer(Fd listening, Calls calls, Failures failures, int ownUid) {
    this.listening = listening;
    this.calls = calls;
    this.failures = failures;
    this.ownUid = ownUid;
  }

  /** Serves until the program ends. */
  void serve() {
    for (; ; ) {
      try {
        var socket = UnixSocket.accept(listening);
        Thread.ofPlatform().daemon().name("call").start(() -> converse(socket));
      } catch (KernelException e) {
        // No descriptors or memory left for now: containers must go on, and so must we.
        System.getLogger(ApiServer.class.getName())
            .log(System.Logger.Level.ERROR, "accept a connection", e);
        pause();
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(ACCEPT_PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void converse(Fd socket) {
    try (var conversation = new Conversation(socket)) {
      int uid = UnixSocket.peer(socket).uid();
      if (uid != 0 && uid != ownUid) {
        conversation.send(
            Wire.error(
                new Failure(
                    Reason.DENIED,
                    "talk to the daemon",
                    "user " + uid + " is neither root nor the daemon's",
                    "use sudo")));
        return;
      }
      while (!conversation.isHandedOver()) {
        var line = conversation.readLine();
        if (line.isEmpty()) {
          return;
        }
        answer(conversation, line.get());
      }
    } catch (IOException e) {
      // The client is gone; what it asked for is done or undone by the call itself.
      return;
    }
  }

  private void answer(Conversation conversation, byte[] line) throws IOException {
    byte[] answer;
    try {
      answer = calls.handle(Json.read(line, Request.class), conversation);
    } catch (JsonException e) {
      answer =
          Wire.error(
              new Failure(
                  Reason.INVALID,
                  "read a request",
                  String.valueOf(e.getMessage()),
                  "client and daemon may be of different versions"));
    } catch (RuntimeException e) {
      var failure = failures.translate(e);
      logUnexpected(failure);
      answer = Wire.error(Failure.of(failure));
    }
    if (!conversation.isHandedOver()) {
      conversation.send(answer);
    }
  }

  private static void logUnexpected(CaissonException failure) {
    if (failure.reason() == Reason.INTERNAL) {
      System.getLogger(ApiServer.class.getName())
          .log(System.Logger.Level.ERROR, failure.getMessage(), failure);
    }
  }
}
