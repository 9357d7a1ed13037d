package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.nio.file.Path;

/**
 * Waits until something happens to the files of a directory: one is made, written, closed after
 * writing, renamed or removed. For one thread. Source: inotify(7).
 */
public final class Inotify implements AutoCloseable {
  private static final Syscall INIT = Syscall.of("inotify_init1", JAVA_INT, JAVA_INT);
  private static final Syscall ADD =
      Syscall.of("inotify_add_watch", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
  private static final int NONBLOCK_CLOEXEC = 0x80800;
  private static final int MODIFY = 0x2;
  private static final int CLOSE_WRITE = 0x8;
  private static final int MOVED = 0xC0;
  private static final int CREATE = 0x100;
  private static final int DELETE = 0x200;
  private static final int BUFFER = 4096;

  private final Fd fd;

  private Inotify(Fd fd) {
    this.fd = fd;
  }

  /**
   * Begins to watch.
   *
   * @throws KernelException ENOENT when it is not there; EMFILE when the user watches as much as is
   *     allowed, inotify(7)
   */
  public static Inotify of(Path directory) throws KernelException {
    var fd = new Fd((int) INIT.call("watch files", NONBLOCK_CLOEXEC));
    try (var arena = Arena.ofConfined()) {
      ADD.call(
          "watch '" + directory + "'",
          fd.number(),
          arena.allocateFrom(directory.toString()),
          MODIFY | CLOSE_WRITE | MOVED | CREATE | DELETE);
      return new Inotify(fd);
    } catch (KernelException e) {
      fd.close();
      throw e;
    }
  }

  /**
   * Waits until something has happened since the beginning, or since the last answer. A platform
   * thread's work.
   *
   * @param millis longest wait; negative for ever
   * @return false when the time was up
   */
  public boolean await(int millis) throws KernelException {
    if (!Poll.readable(fd, millis)) {
      return false;
    }
    try (var arena = Arena.ofConfined()) {
      var events = arena.allocate(BUFFER, 8);
      long got;
      do {
        got = NonBlocking.read(fd, events);
      } while (got > 0);
    }
    return true;
  }

  @Override
  public void close() {
    fd.close();
  }
}
