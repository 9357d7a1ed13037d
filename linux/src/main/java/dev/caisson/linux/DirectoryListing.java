package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the names of a directory. Source: getdents64(2). */
final class DirectoryListing {
  private static final long BUFFER = 32 * 1024;
  private static final long OFFSET_OF_LENGTH = 16;
  private static final long OFFSET_OF_TYPE = 18;
  private static final long OFFSET_OF_NAME = 19;

  private static final Syscall GETDENTS64 =
      Syscall.of("getdents64", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);

  private DirectoryListing() {}

  static List<DirectoryEntry> read(Fd directory, String shown) throws KernelException {
    // A descriptor of its own, because the place of a listing is shared by all duplicates.
    try (var arena = Arena.ofConfined();
        var fd = Descent.openOne(directory, ".", At.O_RDONLY | At.O_DIRECTORY, shown)) {
      var entries = new ArrayList<DirectoryEntry>();
      var buffer = arena.allocate(BUFFER, 8);
      while (true) {
        long length =
            GETDENTS64.callThroughSignals("list '" + shown + "'", fd.number(), buffer, BUFFER);
        if (length == 0) {
          return entries;
        }
        for (long at = 0; at < length; ) {
          int size = buffer.get(JAVA_SHORT, at + OFFSET_OF_LENGTH) & 0xFFFF;
          add(entries, fd, buffer.asSlice(at, size), shown);
          at += size;
        }
      }
    }
  }

  private static void add(
      List<DirectoryEntry> entries, Fd directory, MemorySegment entry, String shown)
      throws KernelException {
    String name = ByteText.read(entry, OFFSET_OF_NAME, entry.byteSize());
    if (name.equals(".") || name.equals("..")) {
      return;
    }
    var kind = kindOf(entry.get(JAVA_BYTE, OFFSET_OF_TYPE) & 0xFF);
    if (kind.isPresent()) {
      entries.add(new DirectoryEntry(name, kind.get()));
      return;
    }
    try {
      var status = FileStatus.at(directory.number(), name, shown + "/" + name);
      entries.add(new DirectoryEntry(name, status.kind()));
    } catch (KernelException e) {
      // Some file systems do not tell the kind, and then the file may be gone before we ask.
      if (e.errno() != Errno.ENOENT) {
        throw e;
      }
    }
  }

  private static Optional<FileKind> kindOf(int type) {
    for (FileKind kind : FileKind.values()) {
      if (kind.isEntryType(type)) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }
}
