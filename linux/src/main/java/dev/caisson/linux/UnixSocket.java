package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Sockets of one machine, which can carry descriptors. All are close-on-exec. Source: unix(7). */
public final class UnixSocket {
  private static final Syscall SOCKET =
      Syscall.of("socket", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
  private static final Syscall SOCKETPAIR =
      Syscall.of("socketpair", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS);
  private static final Syscall BIND = Syscall.of("bind", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
  private static final Syscall LISTEN = Syscall.of("listen", JAVA_INT, JAVA_INT, JAVA_INT);
  private static final Syscall CONNECT =
      Syscall.of("connect", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
  private static final Syscall ACCEPT4 =
      Syscall.of("accept4", JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);
  private static final Syscall SENDMSG =
      Syscall.of("sendmsg", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT);
  private static final Syscall RECVMSG =
      Syscall.of("recvmsg", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT);
  private static final Syscall SHUTDOWN = Syscall.of("shutdown", JAVA_INT, JAVA_INT, JAVA_INT);
  private static final Syscall GETSOCKOPT =
      Syscall.of("getsockopt", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);
  private static final Syscall SETSOCKOPT =
      Syscall.of("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
  private static final Syscall CHMOD = Syscall.of("chmod", JAVA_INT, ADDRESS, JAVA_INT);

  private static final int AF_UNIX = 1;
  private static final int SOCK_CLOEXEC = 0x80000;
  private static final int SOL_SOCKET = 1;
  private static final int SCM_RIGHTS = 1;
  private static final int SO_SNDBUF = 7;
  private static final int SO_PEERCRED = 17;
  private static final int SO_SNDBUFFORCE = 32;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final int MSG_CMSG_CLOEXEC = 0x40000000;
  private static final int MSG_CTRUNC = 0x8;
  private static final int BACKLOG = 4096;
  private static final int OWNER_ONLY = 0600;
  private static final int ADDRESS_SIZE = 110;
  private static final int CONTROL_HEADER = 16;

  /** Longest path of a socket in bytes. */
  public static final int LONGEST_PATH = 107;

  /** Most descriptors in one message; the kernel's SCM_MAX_FD. */
  public static final int MOST_DESCRIPTORS = 253;

  private UnixSocket() {}

  /** Kinds of sockets. */
  public enum Kind {
    /** Bytes without bounds. */
    STREAM(1),
    /** Messages with bounds, in order. */
    SEQPACKET(5);

    private final int number;

    Kind(int number) {
      this.number = number;
    }
  }

  /** Two sockets connected to each other. */
  public record Pair(Fd first, Fd second) implements AutoCloseable {
    @Override
    public void close() {
      first.close();
      second.close();
    }
  }

  /** Who is at the other end when it connected. */
  public record Peer(int pid, int uid, int gid) {}

  /**
   * A message received.
   *
   * @param length its bytes, at the start of the buffer; 0 at the end of the connection
   * @param descriptors the descriptors it carried, the receiver's to close
   */
  public record Received(int length, List<Fd> descriptors) {}

  /** Makes a connected pair. */
  public static Pair pair(Kind kind) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      var both = arena.allocate(JAVA_INT, 2);
      SOCKETPAIR.call("make a pair of sockets", AF_UNIX, kind.number | SOCK_CLOEXEC, 0, both);
      return new Pair(new Fd(both.getAtIndex(JAVA_INT, 0)), new Fd(both.getAtIndex(JAVA_INT, 1)));
    }
  }

  /**
   * Makes a socket file, mode 0600, and listens on it. The path must be free; its directory decides
   * who gets that far.
   */
  public static Fd listen(Path path, Kind kind) throws KernelException {
    var socket = socket(kind);
    try (var arena = Arena.ofConfined()) {
      BIND.call("bind '" + path + "'", socket.number(), address(arena, path), ADDRESS_SIZE);
      CHMOD.call("protect '" + path + "'", arena.allocateFrom(path.toString()), OWNER_ONLY);
      LISTEN.call("listen on '" + path + "'", socket.number(), BACKLOG);
      return socket;
    } catch (KernelException e) {
      socket.close();
      throw e;
    }
  }

  /** Connects; ENOENT or ECONNREFUSED when nobody listens. */
  public static Fd connect(Path path, Kind kind) throws KernelException {
    var socket = socket(kind);
    try (var arena = Arena.ofConfined()) {
      CONNECT.callThroughSignals(
          "connect to '" + path + "'", socket.number(), address(arena, path), ADDRESS_SIZE);
      return socket;
    } catch (KernelException e) {
      socket.close();
      throw e;
    }
  }

  private static Fd socket(Kind kind) throws KernelException {
    return new Fd((int) SOCKET.call("make a socket", AF_UNIX, kind.number | SOCK_CLOEXEC, 0));
  }

  private static MemorySegment address(Arena arena, Path path) {
    var bytes = path.toString().getBytes(StandardCharsets.UTF_8);
    if (bytes.length > LONGEST_PATH) {
      throw new IllegalArgumentException(
          "socket path '" + path + "' has " + bytes.length + " bytes: at most " + LONGEST_PATH);
    }
    var address = arena.allocate(ADDRESS_SIZE, 2);
    address.set(JAVA_SHORT, 0, (short) AF_UNIX);
    MemorySegment.copy(bytes, 0, address, JAVA_BYTE, 2, bytes.length);
    return address;
  }

  /** Waits for the next connection. A platform thread's work. */
  public static Fd accept(Fd listening) throws KernelException {
    return new Fd(
        (int)
            ACCEPT4.callThroughSignals(
                "accept a connection",
                listening.number(),
                MemorySegment.NULL,
                MemorySegment.NULL,
                SOCK_CLOEXEC));
  }

  /** The other end's credentials. */
  public static Peer peer(Fd socket) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      var credentials = arena.allocate(JAVA_INT, 3);
      var length = arena.allocateFrom(JAVA_INT, 12);
      GETSOCKOPT.call(
          "read the peer of " + socket,
          socket.number(),
          SOL_SOCKET,
          SO_PEERCRED,
          credentials,
          length);
      return new Peer(
          credentials.getAtIndex(JAVA_INT, 0),
          credentials.getAtIndex(JAVA_INT, 1),
          credentials.getAtIndex(JAVA_INT, 2));
    }
  }

  /** Sends a message with descriptors, which stay the caller's too. */
  public static void send(Fd socket, byte[] bytes, List<Fd> descriptors) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      var data = arena.allocate(Math.max(1, bytes.length));
      MemorySegment.copy(bytes, 0, data, JAVA_BYTE, 0, bytes.length);
      int room = descriptors.isEmpty() ? 0 : CONTROL_HEADER + align(4 * descriptors.size());
      var control = arena.allocate(Math.max(8, room), 8);
      if (room > 0) {
        control.set(JAVA_LONG, 0, CONTROL_HEADER + 4L * descriptors.size());
        control.set(JAVA_INT, 8, SOL_SOCKET);
        control.set(JAVA_INT, 12, SCM_RIGHTS);
        for (int i = 0; i < descriptors.size(); i++) {
          control.set(JAVA_INT, CONTROL_HEADER + 4L * i, descriptors.get(i).number());
        }
      }
      SENDMSG.callThroughSignals(
          "send " + bytes.length + " bytes to " + socket,
          socket.number(),
          header(arena, data, bytes.length, control, room),
          MSG_NOSIGNAL);
    }
  }

  /** Waits for bytes, or a message, with the descriptors they carry. A platform thread's work. */
  public static Received receive(Fd socket, byte[] buffer) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      var data = arena.allocate(buffer.length);
      int room = CONTROL_HEADER + align(4 * MOST_DESCRIPTORS);
      var control = arena.allocate(room, 8);
      var header = header(arena, data, buffer.length, control, room);
      int length =
          (int)
              RECVMSG.callThroughSignals(
                  "receive from " + socket, socket.number(), header, MSG_CMSG_CLOEXEC);
      MemorySegment.copy(data, JAVA_BYTE, 0, buffer, 0, length);
      var descriptors = new ArrayList<Fd>();
      if (header.get(JAVA_LONG, 40) >= CONTROL_HEADER && control.get(JAVA_INT, 12) == SCM_RIGHTS) {
        int count = (int) (control.get(JAVA_LONG, 0) - CONTROL_HEADER) / 4;
        for (int i = 0; i < count; i++) {
          descriptors.add(new Fd(control.get(JAVA_INT, CONTROL_HEADER + 4L * i)));
        }
      }
      if ((header.get(JAVA_INT, 48) & MSG_CTRUNC) != 0) {
        descriptors.forEach(Fd::close);
        throw new KernelException("receive descriptors from " + socket, RECVMSG.name(), 90);
      }
      return new Received(length, descriptors);
    }
  }

  /** struct msghdr on 64 bits: name, namelen, iov, iovlen, control, controllen, flags. */
  private static MemorySegment header(
      Arena arena, MemorySegment data, int length, MemorySegment control, int room) {
    var vector = arena.allocate(16, 8);
    vector.set(ADDRESS, 0, data);
    vector.set(JAVA_LONG, 8, length);
    var header = arena.allocate(56, 8);
    header.set(ADDRESS, 16, vector);
    header.set(JAVA_LONG, 24, 1);
    if (room > 0) {
      header.set(ADDRESS, 32, control);
      header.set(JAVA_LONG, 40, room);
    }
    return header;
  }

  private static int align(int bytes) {
    return bytes + 7 & ~7;
  }

  /**
   * Lets so many bytes wait in the kernel for the other end, also more than the system's usual
   * limit where we may (CAP_NET_ADMIN). Source: socket(7), SO_SNDBUFFORCE.
   */
  public static void sendBuffer(Fd socket, int bytes) {
    try (var arena = Arena.ofConfined()) {
      var value = arena.allocateFrom(JAVA_INT, bytes);
      if (SETSOCKOPT.attempt(socket.number(), SOL_SOCKET, SO_SNDBUFFORCE, value, 4) < 0) {
        SETSOCKOPT.attempt(socket.number(), SOL_SOCKET, SO_SNDBUF, value, 4);
      }
    }
  }

  /** Tells the other end that nothing more is sent. Harmless when the connection is gone. */
  public static void endSending(Fd socket) {
    SHUTDOWN.attempt(socket.number(), 1);
  }

  /**
   * Ends both directions, which also wakes whoever waits on it. Harmless when the connection is
   * gone.
   */
  public static void end(Fd socket) {
    SHUTDOWN.attempt(socket.number(), 2);
  }
}
