package dev.caisson.daemon.container;

import dev.caisson.engine.spec.Mount;
import dev.caisson.engine.spec.Process;
import dev.caisson.library.CaissonException;
import dev.caisson.library.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What programs need to be run by: the interpreter that a script's first line names, the loader
 * that an executable names. Where that is missing the kernel says that the program itself does not
 * exist, and low-level runtimes notice only when they are the container's process already: so it is
 * looked for before. Source: execve(2), elf(5).
 */
public final class Interpreters {
  private static final String USUAL_PATH =
      "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  /** As much of a script's first line as the kernel looks at. */
  private static final int LONGEST_LINE = 256;

  /** Headers stand at the beginning of all executables that linkers make. */
  private static final int HEAD = 4096;

  /** A script's interpreter may be a script, and so on. */
  private static final int MOST_STEPS = 5;

  private static final byte[] ELF_64_LITTLE = {0x7f, 'E', 'L', 'F', 2, 1};
  private static final int MACHINE = System.getProperty("os.arch").equals("aarch64") ? 183 : 62;
  private static final int HEADER_SIZE = 64;
  private static final int ENTRY_SIZE = 56;
  private static final int INTERPRETER_ENTRY = 3;

  private final RootView root;
  private final List<Mount> hidden;

  private Interpreters(RootView root, List<Mount> hidden) {
    this.root = root;
    this.hidden = hidden;
  }

  /**
   * Looks at a process's program. What cannot be read, or not from here, is left to the kernel.
   *
   * @param tried what is being done, for the error
   * @param root the container's root
   * @param hidden mounts that the container sees and {@code root} does not
   * @throws CaissonException {@link Reason#PROGRAM_NOT_FOUND} naming what is missing
   */
  public static void check(String tried, Process process, RootView root, List<Mount> hidden) {
    try {
      new Interpreters(root, hidden).check(tried, process);
    } catch (IOException e) {
      // What cannot be looked at from here may still be run.
      return;
    }
  }

  private void check(String tried, Process process) throws IOException {
    var program = program(process);
    for (int step = 0; program.isPresent() && step < MOST_STEPS; step++) {
      var needed = needed(program.get(), process.cwd());
      if (needed.isPresent() && isMissing(needed.get())) {
        throw new CaissonException(
            Reason.PROGRAM_NOT_FOUND,
            tried,
            "'"
                + program.get()
                + "' is run by '"
                + visible(needed.get())
                + "', which does not exist",
            advice(needed.get()));
      }
      program = needed;
    }
  }

  private static String visible(String path) {
    return path.replace("\r", "\\r");
  }

  private static String advice(String needed) {
    if (needed.endsWith("\r")) {
      return "end its lines with newlines alone";
    }
    return needed.contains("/ld-")
        ? "use an image with the C library it was built for"
        : "add that to the image, or change the first line";
  }

  /** The file that is run, as execvp(3) finds it. */
  private Optional<String> program(Process process) throws IOException {
    var word = process.args().getFirst();
    if (word.contains("/")) {
      return Optional.of(Path.of(process.cwd()).resolve(word).toString());
    }
    for (var directory : path(process).split(":")) {
      var candidate = Path.of(process.cwd(), directory).resolve(word);
      if (directory.startsWith("/")) {
        candidate = Path.of(directory, word);
      }
      if (root.isExecutable(candidate.toString())) {
        return Optional.of(candidate.toString());
      }
    }
    return Optional.empty();
  }

  private static String path(Process process) {
    return process.env().stream()
        .filter(entry -> entry.startsWith("PATH="))
        .map(entry -> entry.substring("PATH=".length()))
        .reduce((_, last) -> last)
        .orElse(USUAL_PATH);
  }

  private Optional<String> needed(String program, String directory) throws IOException {
    if (isHidden(program)) {
      return Optional.empty();
    }
    var head = root.head(program, HEAD);
    if (head.length > 2 && head[0] == '#' && head[1] == '!') {
      return named(
              new String(head, 2, Math.min(head.length, LONGEST_LINE) - 2, StandardCharsets.UTF_8))
          .map(interpreter -> Path.of(directory).resolve(interpreter).toString());
    }
    return loader(head);
  }

  private static Optional<String> named(String line) {
    int end = line.indexOf('\n');
    var words =
        (end < 0 ? line : line.substring(0, end)).replaceFirst("^[ \t]+", "").split("[ \t\0]");
    return words.length == 0 || words[0].isEmpty() ? Optional.empty() : Optional.of(words[0]);
  }

  /** The loader of an executable for this machine, which then runs it; others are emulated. */
  private static Optional<String> loader(byte[] head) {
    if (head.length < HEADER_SIZE || !startsWith(head, ELF_64_LITTLE)) {
      return Optional.empty();
    }
    var buffer = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
    long table = buffer.getLong(32);
    int entries = Short.toUnsignedInt(buffer.getShort(56));
    if (buffer.getShort(18) != MACHINE || buffer.getShort(54) != ENTRY_SIZE) {
      return Optional.empty();
    }
    for (int i = 0; i < entries; i++) {
      long at = table + (long) i * ENTRY_SIZE;
      if (table < HEADER_SIZE || at > head.length - ENTRY_SIZE) {
        return Optional.empty();
      }
      if (buffer.getInt((int) at) == INTERPRETER_ENTRY) {
        return text(head, buffer.getLong((int) at + 8), buffer.getLong((int) at + 32));
      }
    }
    return Optional.empty();
  }

  private static Optional<String> text(byte[] head, long from, long size) {
    if (from < 0 || size < 2 || size > HEAD || from > head.length - size) {
      return Optional.empty();
    }
    var text = new String(head, (int) from, (int) size, StandardCharsets.UTF_8);
    return Optional.of(
        text.substring(0, text.indexOf('\0') < 0 ? text.length() : text.indexOf('\0')));
  }

  private static boolean startsWith(byte[] head, byte[] start) {
    for (int i = 0; i < start.length; i++) {
      if (head[i] != start[i]) {
        return false;
      }
    }
    return true;
  }

  private boolean isMissing(String path) throws IOException {
    return !isHidden(path) && root.isMissing(path);
  }

  private boolean isHidden(String path) throws IOException {
    return MountSection.cover(hidden, root.destination(path).orElse(path));
  }
}
