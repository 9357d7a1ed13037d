package dev.caisson.daemon;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.caisson.library.protocol.Wire;
import dev.caisson.linux.DevNull;
import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Pipe;
import dev.caisson.linux.Poll;
import dev.caisson.linux.UnixSocket;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * One client's connection: lines in, lines out, until it is closed or becomes a stream. One
 * thread's work.
 */
final class Conversation implements AutoCloseable {
  private static final int BUFFER = 16 << 10;
  private static final int HANG_UP = 0x10;

  private final Fd socket;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment buffer = arena.allocate(BUFFER);
  private long from;
  private long to;
  private boolean handedOver;

  Conversation(Fd socket) {
    this.socket = socket;
  }

  /** The next line without its newline; empty at the end of the connection. */
  Optional<byte[]> readLine() throws IOException {
    var line = new byte[256];
    int length = 0;
    for (; ; ) {
      while (from < to) {
        byte b = buffer.get(JAVA_BYTE, from++);
        if (b == '\n') {
          return Optional.of(Arrays.copyOf(line, length));
        }
        if (length == line.length) {
          if (length >= Wire.LONGEST_LINE) {
            throw new IOException("a line longer than " + Wire.LONGEST_LINE + " bytes");
          }
          line = Arrays.copyOf(line, length * 2);
        }
        line[length++] = b;
      }
      from = 0;
      to = socket.read(buffer);
      if (to == 0) {
        return Optional.empty();
      }
    }
  }

  /** Sends a line that ends with a newline. */
  void send(byte[] line) throws KernelException {
    try (var local = Arena.ofConfined()) {
      socket.write(local.allocateFrom(JAVA_BYTE, line));
    }
  }

  /** Whether the client has closed the connection; asked while a call takes long. */
  boolean isAbandoned() throws KernelException {
    return (Poll.wait((short) 0, 0, socket)[0] & HANG_UP) != 0;
  }

  /**
   * What the process that connected has under a descriptor, when bytes can be moved into it: a pipe
   * or the device that swallows everything.
   */
  Optional<Fd> pipeOfPeer(int descriptor) throws IOException {
    int pid = UnixSocket.peer(socket).pid();
    var found =
        isDevNull(pid, descriptor) ? Optional.of(DevNull.open()) : Pipe.writerOf(pid, descriptor);
    if (found.isPresent() && isAbandoned()) {
      // Its pid may be another's by now.
      found.get().close();
      return Optional.empty();
    }
    return found;
  }

  private static boolean isDevNull(int pid, int descriptor) {
    try {
      var link = Path.of("/proc/" + pid + "/fd/" + descriptor);
      return Files.readSymbolicLink(link).equals(Path.of("/dev/null"));
    } catch (IOException gone) {
      return false;
    }
  }

  /** Gives the socket to whoever moves its bytes from now on; this conversation is over. */
  Fd handOver() {
    handedOver = true;
    return socket;
  }

  boolean isHandedOver() {
    return handedOver;
  }

  @Override
  public void close() {
    if (!handedOver) {
      socket.close();
    }
    arena.close();
  }
}
