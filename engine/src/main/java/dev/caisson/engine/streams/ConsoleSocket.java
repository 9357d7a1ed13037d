package dev.caisson.engine.streams;

import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Poll;
import dev.caisson.linux.UnixSocket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Where a low-level runtime delivers the terminal it made: it connects and sends the master's
 * descriptor. Its path is short, since a socket's address has only 108 bytes.
 */
final class ConsoleSocket implements AutoCloseable {
  private static final AtomicLong LAST = new AtomicLong();
  private static final int LONGEST_MESSAGE = 4096;

  private final Path path;
  private final Fd listening;

  private ConsoleSocket(Path path, Fd listening) {
    this.path = path;
    this.listening = listening;
  }

  static ConsoleSocket open(Path directory) throws IOException {
    Files.createDirectories(directory);
    var path =
        directory.resolve(
            Long.toString(ProcessHandle.current().pid(), Character.MAX_RADIX)
                + "-"
                + Long.toString(LAST.incrementAndGet(), Character.MAX_RADIX));
    Files.deleteIfExists(path);
    return new ConsoleSocket(path, UnixSocket.listen(path, UnixSocket.Kind.STREAM));
  }

  Path path() {
    return path;
  }

  /** Takes the master; the runtime has ended well, so it is there or never comes. */
  Fd master(Duration limit) throws KernelException {
    if (!Poll.readable(listening, (int) limit.toMillis())) {
      throw new KernelException("receive the terminal on '" + path + "'", "accept4", 110);
    }
    try (var connection = UnixSocket.accept(listening)) {
      var received = UnixSocket.receive(connection, new byte[LONGEST_MESSAGE]);
      if (received.descriptors().size() != 1) {
        received.descriptors().forEach(Fd::close);
        throw new KernelException("receive the terminal on '" + path + "'", "recvmsg", 71);
      }
      return received.descriptors().getFirst();
    }
  }

  @Override
  public void close() {
    listening.close();
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      // The run directory is emptied at the next boot.
      return;
    }
  }
}
