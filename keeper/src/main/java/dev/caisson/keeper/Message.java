package dev.caisson.keeper;

import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.UnixSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The messages between keeper and daemon; the package's description has the list. */
final class Message {
  static final byte HOLD = 'H';
  static final byte DROP = 'D';
  static final byte LIST = 'L';
  static final byte DONE = 'K';
  static final byte REFUSED = 'N';
  static final byte ITEM = 'I';
  static final byte EXIT = 'E';

  /** Longest message in bytes, name included. */
  static final int LONGEST = 1024;

  private Message() {}

  static void send(Fd socket, byte kind, String text, List<Fd> descriptors) throws KernelException {
    var name = text.getBytes(StandardCharsets.UTF_8);
    if (name.length >= LONGEST) {
      throw new IllegalArgumentException("name '" + text + "': longer than " + LONGEST + " bytes");
    }
    var bytes = new byte[1 + name.length];
    bytes[0] = kind;
    System.arraycopy(name, 0, bytes, 1, name.length);
    UnixSocket.send(socket, bytes, descriptors);
  }

  static String text(byte[] buffer, int length) {
    return new String(buffer, 1, length - 1, StandardCharsets.UTF_8);
  }
}
