package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;

/**
 * The way from a directory down a path, with that directory as "/".
 *
 * <p>Links are followed, absolute ones from the directory; ".." stops at it; links of /proc that
 * jump elsewhere are refused. The kernel does it in one call from 5.6 on. Older ones, and
 * containers whose filter hides the call, get the same by one step per component, where the kernel
 * follows nothing and the links are read here. Source: openat2(2).
 */
final class Descent {
  private static final int MOST_LINKS = 40;
  private static final int TRIES = 128;

  private static final Syscall OPENAT2 =
      Syscall.numbered("openat2", 437, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
  private static final Syscall OPENAT =
      Syscall.variadic("openat", 3, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
  private static final Syscall READLINKAT =
      Syscall.of("readlinkat", JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
  private static final Syscall MKDIRAT =
      Syscall.of("mkdirat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);

  private final Fd root;
  private final String rootShown;

  Descent(Fd root, String rootShown) {
    this.root = root;
    this.rootShown = rootShown;
  }

  /** Opens what {@code path} leads to. */
  Fd open(String path, int flags) throws KernelException {
    long result = resolve(root, path, flags, At.RESOLVE_IN_ROOT | At.RESOLVE_NO_MAGICLINKS);
    if (result >= 0) {
      return new Fd((int) result);
    }
    if (isMissing(result)) {
      return walk(path, flags);
    }
    throw failure("open", path, "openat2", result);
  }

  /**
   * Opens a directory that stands right in {@code parent}: no link and no mount is entered.
   *
   * @throws KernelException EXDEV if something is mounted there
   */
  static Fd openWithinMount(Fd parent, String name, String shown) throws KernelException {
    int flags = At.O_RDONLY | At.O_DIRECTORY | At.O_NOFOLLOW;
    long result =
        resolve(
            parent, name, flags, At.RESOLVE_BENEATH | At.RESOLVE_NO_SYMLINKS | At.RESOLVE_NO_XDEV);
    if (result >= 0) {
      return new Fd((int) result);
    }
    if (!isMissing(result)) {
      throw new KernelException("open '" + shown + "'", "openat2", (int) -result);
    }
    Fd fd = openOne(parent, name, flags, shown);
    try {
      if (!FileStatus.of(fd, shown)
          .fileSystem()
          .equals(FileStatus.of(parent, shown).fileSystem())) {
        throw new KernelException("open '" + shown + "'", "openat", Errno.EXDEV.number());
      }
      return fd;
    } catch (KernelException e) {
      fd.close();
      throw e;
    }
  }

  private static boolean isMissing(long result) {
    // Filters of older container managers answer "not permitted" for calls they do not know.
    return result == -Errno.ENOSYS.number() || result == -Errno.EPERM.number();
  }

  private static long resolve(Fd from, String path, int flags, long resolve) {
    try (var arena = Arena.ofConfined()) {
      var how = arena.allocateFrom(JAVA_LONG, flags | At.O_CLOEXEC, 0, resolve);
      var text = ByteText.allocate(arena, path.isEmpty() ? "." : path);
      for (int i = 1; ; i++) {
        long result = OPENAT2.attempt(from.number(), text, how, how.byteSize());
        // The kernel asks for another try when something was renamed while it passed a "..".
        boolean again = result == -Errno.EAGAIN.number() || result == -Errno.EINTR.number();
        if (!again || i == TRIES) {
          return result;
        }
      }
    }
  }

  /** Opens one name; a link is an error, unless {@code flags} ask for the link itself. */
  static Fd openOne(Fd parent, String name, int flags, String shown) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      return new Fd(
          (int)
              OPENAT.callThroughSignals(
                  "open '" + shown + "'",
                  parent.number(),
                  ByteText.allocate(arena, name),
                  flags | At.O_NOFOLLOW | At.O_CLOEXEC,
                  0));
    }
  }

  /** The same as {@link #open}, one component at a time. */
  Fd walk(String path, int flags) throws KernelException {
    return new Walk(path).open(flags, false, 0);
  }

  /** Opens a directory, making each one that is missing with {@code mode}. */
  Fd makeDirectories(String path, int mode) throws KernelException {
    return new Walk(path).open(At.O_RDONLY | At.O_DIRECTORY, true, mode);
  }

  private KernelException failure(String verb, String path, String call, long result) {
    return new KernelException(
        verb + " '" + path + "' below '" + rootShown + "'", call, (int) -result);
  }

  static String readLink(Fd parent, String name, String shown) throws KernelException {
    long result = tryReadLink(parent, name).length;
    if (result < 0) {
      throw new KernelException("read link '" + shown + "'", READLINKAT.name(), (int) -result);
    }
    return tryReadLink(parent, name).target;
  }

  private record LinkTarget(long length, String target) {}

  private static LinkTarget tryReadLink(Fd parent, String name) {
    try (var arena = Arena.ofConfined()) {
      var buffer = arena.allocate(4096);
      long length =
          READLINKAT.attempt(
              parent.number(), ByteText.allocate(arena, name), buffer, buffer.byteSize());
      return new LinkTarget(length, length < 0 ? "" : ByteText.read(buffer, 0, length));
    }
  }

  /** One walk: the names still to come, and those behind it, none of which is a link. */
  private final class Walk {
    private final String path;
    private final Deque<String> ahead = new ArrayDeque<>();
    private final ArrayList<String> behind = new ArrayList<>();
    private int links;

    /** Whether the last step opened what was asked for, and not just a directory on the way. */
    private boolean opened;

    Walk(String path) {
      this.path = path;
      push(path);
    }

    private void push(String names) {
      var parts = names.split("/");
      for (int i = parts.length - 1; i >= 0; i--) {
        if (!parts[i].isEmpty() && !parts[i].equals(".")) {
          ahead.push(parts[i]);
        }
      }
    }

    Fd open(int flags, boolean make, int mode) throws KernelException {
      Fd here = openOne(root, ".", At.O_PATH | At.O_DIRECTORY, rootShown);
      try {
        while (!ahead.isEmpty()) {
          Fd next = step(here, ahead.pop(), flags, make, mode);
          if (next != here) {
            here.close();
            here = next;
          }
        }
        if (!opened) {
          Fd result = openOne(here, ".", flags, path);
          here.close();
          return result;
        }
        return here;
      } catch (KernelException | RuntimeException e) {
        here.close();
        throw e;
      }
    }

    private Fd step(Fd here, String name, int flags, boolean make, int mode)
        throws KernelException {
      opened = false;
      if (name.equals("..")) {
        return up(here);
      }
      LinkTarget link = tryReadLink(here, name);
      if (link.length >= 0) {
        if (++links > MOST_LINKS) {
          throw failure("open", path, "openat", -Errno.ELOOP.number());
        }
        push(link.target);
        return link.target.startsWith("/") ? restart() : here;
      }
      if (link.length == -Errno.ENOENT.number() && make) {
        makeOne(here, name, mode);
      }
      boolean last = ahead.isEmpty() && (flags & At.O_DIRECTORY) == 0;
      Fd next = openOne(here, name, last ? flags : At.O_PATH | At.O_DIRECTORY, path);
      behind.add(name);
      opened = last;
      return next;
    }

    private Fd restart() throws KernelException {
      behind.clear();
      return openOne(root, ".", At.O_PATH | At.O_DIRECTORY, rootShown);
    }

    private Fd up(Fd here) throws KernelException {
      if (behind.isEmpty()) {
        return here;
      }
      behind.removeLast();
      // From the top again: the parent of an open directory may by now be outside the root.
      Fd parent = openOne(root, ".", At.O_PATH | At.O_DIRECTORY, rootShown);
      for (String name : behind) {
        try (Fd above = parent) {
          parent = openOne(above, name, At.O_PATH | At.O_DIRECTORY, path);
        }
      }
      return parent;
    }

    private void makeOne(Fd here, String name, int mode) throws KernelException {
      try (var arena = Arena.ofConfined()) {
        long result = MKDIRAT.attempt(here.number(), ByteText.allocate(arena, name), mode);
        if (result < 0 && result != -Errno.EEXIST.number()) {
          throw failure("make directory '" + name + "' of", path, MKDIRAT.name(), result);
        }
      }
    }
  }
}
