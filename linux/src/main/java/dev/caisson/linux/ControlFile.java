package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A small file by which the kernel tells or takes a setting, under /proc, /sys or a cgroup.
 *
 * @param path absolute
 */
public record ControlFile(Path path) {
  private static final int CHUNK = 16 * 1024;

  private static final Syscall OPEN =
      Syscall.variadic("open", 2, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);

  /**
   * The whole text, without the newline at its end.
   *
   * @throws KernelException ENOENT if there is no such file; ENODEV if its group was removed
   */
  public String read() throws KernelException {
    try (var arena = Arena.ofConfined();
        var file = new OpenFile(open(At.O_RDONLY, "read"), path.toString())) {
      var text = new StringBuilder();
      var buffer = arena.allocate(CHUNK);
      long position = 0;
      while (true) {
        long length = file.read(buffer, position);
        if (length == 0) {
          break;
        }
        text.append(ByteText.read(buffer, 0, length));
        position += length;
      }
      int end = text.length();
      while (end > 0 && text.charAt(end - 1) == '\n') {
        end--;
      }
      return text.substring(0, end);
    }
  }

  /** The text as of {@link #read}; empty if there is no such file or its group was removed. */
  public Optional<String> find() throws KernelException {
    try {
      return Optional.of(read());
    } catch (KernelException e) {
      return switch (e.errno()) {
        case ENOENT, ENODEV, ENOTDIR -> Optional.empty();
        default -> throw e;
      };
    }
  }

  /**
   * Writes a value in one call, as such files want it.
   *
   * @throws KernelException whose message names file and value; the kernel's reason, for example
   *     EINVAL for a value out of range or EBUSY
   */
  public void write(String value) throws IOException {
    String action = "write '" + value.strip() + "' to";
    try (var arena = Arena.ofConfined();
        var fd = open(At.O_WRONLY, action)) {
      byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
      var buffer = arena.allocate(Math.max(1, bytes.length)).asSlice(0, bytes.length);
      buffer.copyFrom(MemorySegment.ofArray(bytes));
      try {
        fd.write(buffer);
      } catch (KernelException e) {
        throw new KernelException(action + " '" + path + "'", e.call(), e.number());
      }
    }
  }

  private Fd open(int access, String action) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      return new Fd(
          (int)
              OPEN.callThroughSignals(
                  action + " '" + path + "'",
                  ByteText.allocate(arena, path.toString()),
                  access | At.O_CLOEXEC,
                  0));
    }
  }
}
