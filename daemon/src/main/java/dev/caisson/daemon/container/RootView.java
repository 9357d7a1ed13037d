package dev.caisson.daemon.container;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.caisson.linux.Access;
import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.Errno;
import dev.caisson.linux.FileKind;
import dev.caisson.linux.FileStatus;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.OpenFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A container's mounted root as seen from inside: links lead where they would lead in the
 * container.
 */
public final class RootView {
  private static final long LARGEST = 10 << 20;
  private static final int CHUNK = 64 << 10;
  private static final int ANY_EXECUTE = 0111;

  /** As many as the kernel follows. Source: path_resolution(7). */
  private static final int MOST_LINKS = 40;

  private final DirectoryHandle root;

  /** Looks at a mounted root. The caller keeps the handle open. */
  public RootView(DirectoryHandle root) {
    this.root = root;
  }

  /**
   * Text of a file, such as /etc/passwd; empty when there is none.
   *
   * @throws IOException when it is larger than 10 MiB or no regular file
   */
  Optional<String> text(String path) throws IOException {
    try (var file = root.open(path, Access.READ);
        var arena = Arena.ofConfined()) {
      var status = file.status();
      if (status.kind() != FileKind.REGULAR) {
        throw new IOException("'/" + path + "' in the image is no regular file");
      }
      if (status.size() > LARGEST) {
        throw new IOException(
            "'/" + path + "' in the image has " + status.size() + " bytes: at most " + LARGEST);
      }
      return Optional.of(
          new String(bytes(file, (int) status.size(), arena), StandardCharsets.UTF_8));
    } catch (KernelException e) {
      if (isMissing(e)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** The first bytes of a regular file; none when there is no such file or it cannot be read. */
  byte[] head(String path, int most) throws IOException {
    try (var file = root.open(path, Access.READ);
        var arena = Arena.ofConfined()) {
      return file.status().kind() == FileKind.REGULAR ? bytes(file, most, arena) : new byte[0];
    } catch (KernelException e) {
      return new byte[0];
    }
  }

  private static byte[] bytes(OpenFile file, int most, Arena arena) throws KernelException {
    var bytes = new byte[most];
    var chunk = arena.allocate(Math.max(1, Math.min(CHUNK, most)));
    int done = 0;
    while (done < most) {
      int got = (int) Math.min(most - done, file.read(chunk, done));
      if (got == 0) {
        return Arrays.copyOf(bytes, done);
      }
      MemorySegment.copy(chunk, JAVA_BYTE, 0, bytes, done, got);
      done += got;
    }
    return bytes;
  }

  /** Whether a path leads to a file that somebody may execute. */
  boolean isExecutable(String path) throws IOException {
    try (var file = root.open(path, Access.READ)) {
      var status = file.status();
      return status.kind() == FileKind.REGULAR && (status.mode() & ANY_EXECUTE) != 0;
    } catch (KernelException e) {
      return false;
    }
  }

  /** Whether a path is known to lead nowhere. */
  boolean isMissing(String path) throws IOException {
    try (var _ = root.open(path, Access.READ)) {
      return false;
    } catch (KernelException e) {
      return isMissing(e);
    }
  }

  /** Whether a path leads through, or to, something that is known to be no directory. */
  boolean isBlocked(String path) throws IOException {
    try (var _ = root.descend(path)) {
      return false;
    } catch (KernelException e) {
      return e.errno() == Errno.ENOTDIR;
    }
  }

  /** The status of what stands right at the root under a name, a link itself not followed. */
  Optional<FileStatus> top(String name) throws KernelException {
    return root.find(name);
  }

  /**
   * Where a path leads to in the container, links followed by what they say. What does not exist is
   * taken as it is written. The way ends below /proc, whose links lead elsewhere than they say.
   *
   * @return an absolute path; empty when there are more links than the kernel follows
   */
  Optional<String> destination(String path) throws IOException {
    var ahead = new ArrayDeque<>(List.of(path.split("/")));
    var way = new ArrayList<String>();
    int links = 0;
    while (!ahead.isEmpty() && !(way.size() > 1 && way.getFirst().equals("proc"))) {
      var name = ahead.pop();
      if (name.equals("..")) {
        if (!way.isEmpty()) {
          way.removeLast();
        }
        continue;
      }
      if (name.isEmpty() || name.equals(".")) {
        continue;
      }
      var target = link(String.join("/", way), name);
      if (target.isEmpty()) {
        way.add(name);
        continue;
      }
      if (++links > MOST_LINKS) {
        return Optional.empty();
      }
      if (target.get().startsWith("/")) {
        way.clear();
      }
      List.of(target.get().split("/")).reversed().forEach(ahead::push);
    }
    return Optional.of("/" + String.join("/", way));
  }

  /** What a link says; empty when there is none of that name. */
  private Optional<String> link(String directory, String name) throws KernelException {
    try (var parent = root.descend(directory)) {
      var found = parent.find(name);
      return found.isPresent() && found.get().kind() == FileKind.SYMBOLIC_LINK
          ? Optional.of(parent.readLink(name))
          : Optional.empty();
    } catch (KernelException e) {
      if (isMissing(e)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static boolean isMissing(KernelException e) {
    return e.errno() == Errno.ENOENT || e.errno() == Errno.ENOTDIR;
  }
}
