package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Extended attributes of one file, of a link itself too. Source: xattr(7).
 *
 * <p>The calls know no directory handle, so the file is named as {@code /proc/self/fd/N/name}: the
 * first part leads to the directory that is held open, the last part is not followed.
 */
final class ExtendedAttributes {
  private static final int VALUE_LIMIT = 64 * 1024;

  private static final Syscall SET =
      Syscall.of("lsetxattr", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT);
  private static final Syscall GET =
      Syscall.of("lgetxattr", JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG);
  private static final Syscall LIST =
      Syscall.of("llistxattr", JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG);
  private static final Syscall REMOVE = Syscall.of("lremovexattr", JAVA_INT, ADDRESS, ADDRESS);

  private final String path;
  private final String shown;

  ExtendedAttributes(int directory, String name, String shown) {
    this.path = "/proc/self/fd/" + directory + "/" + name;
    this.shown = shown;
  }

  void set(String key, byte[] value) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      var bytes = arena.allocate(Math.max(1, value.length));
      MemorySegment.copy(value, 0, bytes, JAVA_BYTE, 0, value.length);
      SET.call(
          "set attribute '" + key + "' of '" + shown + "'",
          ByteText.allocate(arena, path),
          ByteText.allocate(arena, key),
          bytes,
          (long) value.length,
          0);
    }
  }

  Optional<byte[]> get(String key) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      var bytes = arena.allocate(VALUE_LIMIT);
      long length =
          GET.attempt(
              ByteText.allocate(arena, path),
              ByteText.allocate(arena, key),
              bytes,
              (long) VALUE_LIMIT);
      if (length == -Errno.ENODATA.number() || length == -Errno.EOPNOTSUPP.number()) {
        return Optional.empty();
      }
      if (length < 0) {
        throw new KernelException(
            "read attribute '" + key + "' of '" + shown + "'", GET.name(), (int) -length);
      }
      return Optional.of(bytes.asSlice(0, length).toArray(JAVA_BYTE));
    }
  }

  List<String> keys() throws KernelException {
    try (var arena = Arena.ofConfined()) {
      var bytes = arena.allocate(VALUE_LIMIT);
      long length = LIST.attempt(ByteText.allocate(arena, path), bytes, (long) VALUE_LIMIT);
      if (length == -Errno.EOPNOTSUPP.number()) {
        return List.of();
      }
      if (length < 0) {
        throw new KernelException("list attributes of '" + shown + "'", LIST.name(), (int) -length);
      }
      var keys = new ArrayList<String>();
      for (long at = 0; at < length; ) {
        String key = ByteText.read(bytes, at, length);
        keys.add(key);
        at += ByteText.encode(key).length + 1L;
      }
      return List.copyOf(keys);
    }
  }

  void remove(String key) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      REMOVE.call(
          "remove attribute '" + key + "' of '" + shown + "'",
          ByteText.allocate(arena, path),
          ByteText.allocate(arena, key));
    }
  }
}
