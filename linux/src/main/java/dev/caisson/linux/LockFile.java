package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A lock between processes, and between holders in one process, that dies with its holder.
 *
 * <p>It belongs to this object alone: Java's own file locks are lost as soon as any descriptor of
 * the file is closed anywhere in the process. Close to give it back. The file stays. Source:
 * flock(2).
 */
public final class LockFile implements AutoCloseable {
  /** Who else may hold the lock. */
  public enum Kind {
    /** Others that also ask for a shared lock. */
    SHARED(1),
    /** Nobody. */
    EXCLUSIVE(2);

    private final int operation;

    Kind(int operation) {
      this.operation = operation;
    }
  }

  private static final int LOCK_NB = 4;
  private static final long LONGEST_PAUSE_MILLIS = 20;

  private static final Syscall OPEN =
      Syscall.variadic("open", 2, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
  private static final Syscall FLOCK = Syscall.of("flock", JAVA_INT, JAVA_INT, JAVA_INT);

  private final Fd fd;

  private LockFile(Fd fd) {
    this.fd = fd;
  }

  /** Takes the lock at {@code path}, making the file (0600) if needed; empty if it is taken. */
  public static Optional<LockFile> tryAcquire(Path path, Kind kind) throws KernelException {
    while (true) {
      Fd fd = open(path);
      boolean kept = false;
      try {
        long result = FLOCK.attempt(fd.number(), kind.operation | LOCK_NB);
        if (result == -Errno.EAGAIN.number()) {
          return Optional.empty();
        }
        if (result < 0) {
          throw new KernelException("lock '" + path + "'", FLOCK.name(), (int) -result);
        }
        kept = isStillAt(fd, path);
        if (kept) {
          return Optional.of(new LockFile(fd));
        }
      } finally {
        if (!kept) {
          fd.close();
        }
      }
    }
  }

  /**
   * Takes the lock, waiting for it as long as it takes. Asks again and again instead of waiting in
   * the kernel, so that it can be interrupted and holds no carrier of virtual threads.
   *
   * @throws InterruptedIOException if the thread is interrupted
   */
  public static LockFile acquire(Path path, Kind kind) throws IOException {
    for (long pause = 1; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS)) {
      var lock = tryAcquire(path, kind);
      if (lock.isPresent()) {
        return lock.get();
      }
      try {
        Thread.sleep(pause);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while waiting for the lock '" + path + "'");
      }
    }
  }

  private static Fd open(Path path) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      return new Fd(
          (int)
              OPEN.callThroughSignals(
                  "open lock file '" + path + "'",
                  ByteText.allocate(arena, path.toString()),
                  At.O_RDWR | At.O_CREAT | At.O_CLOEXEC | At.O_NOFOLLOW,
                  0600));
    }
  }

  /** Whether the locked file is the one others will find, not one that was removed meanwhile. */
  private static boolean isStillAt(Fd fd, Path path) throws KernelException {
    var locked = FileStatus.of(fd, path.toString());
    try {
      var found = FileStatus.at(At.CURRENT_DIRECTORY, path.toString(), path.toString());
      return found.inode() == locked.inode() && found.fileSystem().equals(locked.fileSystem());
    } catch (KernelException e) {
      if (e.errno() == Errno.ENOENT) {
        return false;
      }
      throw e;
    }
  }

  /** Gives the lock back; a second call does nothing. */
  @Override
  public void close() {
    fd.close();
  }
}
