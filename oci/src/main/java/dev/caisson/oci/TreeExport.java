package dev.caisson.oci;

import dev.caisson.linux.Access;
import dev.caisson.linux.ByteText;
import dev.caisson.linux.DeviceNumber;
import dev.caisson.linux.DirectoryEntry;
import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.FileStatus;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.OpenFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * Writes a directory as a layer: the same tree gives the same bytes.
 *
 * <p>Names come in the order of their bytes, directories before what is in them, and the first name
 * of a file before its hard links. Access times, names of owners and sockets are left out; holes
 * are written as zeros. Follows no link. For one thread.
 */
final class TreeExport {
  private static final String MARK = ".wh.";
  private static final String OPAQUE_MARK = ".wh..wh..opq";
  private static final int MARK_MODE = 0600;

  private final TarWriter archive;

  /** What overlay's marks mean; in a whole tree there are none. */
  private final LayerForm form;

  /** The first name of each file that has several, by inode. */
  private final Map<Long, String> firstNames = new HashMap<>();

  private TreeExport(TarWriter archive, LayerForm form) {
    this.archive = archive;
    this.form = form;
  }

  /** Writes all that is in a directory. */
  static void writeTree(DirectoryHandle root, OutputStream target) throws IOException {
    write(root, LayerForm.COPIED, target);
  }

  /**
   * Writes the changes that an overlay's upper directory holds, deleted files as marks of the OCI
   * format. Source: OCI image specification, layer.md, "Representing Changes".
   */
  static void writeChanges(DirectoryHandle upper, LayerForm form, OutputStream target)
      throws IOException {
    write(upper, form, target);
  }

  private static void write(DirectoryHandle root, LayerForm form, OutputStream target)
      throws IOException {
    try (var archive = new TarWriter(target)) {
      var export = new TreeExport(archive, form);
      export.addMarkOfOpaque(root, "");
      export.addChildren(root, "");
    }
  }

  private void addChildren(DirectoryHandle directory, String path) throws IOException {
    var entries = new ArrayList<>(directory.entries());
    entries.sort((a, b) -> Arrays.compareUnsigned(bytes(a), bytes(b)));
    for (DirectoryEntry entry : entries) {
      var status = directory.status(entry.name());
      if (form.isOverlay() && LayerForm.isWhiteout(status)) {
        archive.add(mark(path + MARK + entry.name()));
      } else if (status.isDirectory()) {
        addDirectory(directory, entry.name(), path + entry.name() + "/", status);
      } else {
        addFile(directory, entry.name(), path + entry.name(), status);
      }
    }
  }

  private static byte[] bytes(DirectoryEntry entry) {
    return ByteText.encode(entry.name());
  }

  private void addDirectory(DirectoryHandle parent, String name, String path, FileStatus status)
      throws IOException {
    archive.add(entry(path, TarEntry.Type.DIRECTORY, "", 0, status, attributes(parent, name)));
    try (var directory = parent.child(name)) {
      addMarkOfOpaque(directory, path);
      addChildren(directory, path);
    }
  }

  private void addMarkOfOpaque(DirectoryHandle directory, String path) throws IOException {
    if (form.isOpaque(directory)) {
      archive.add(mark(path + OPAQUE_MARK));
    }
  }

  private void addFile(DirectoryHandle parent, String name, String path, FileStatus status)
      throws IOException {
    if (status.links() > 1) {
      String first = firstNames.putIfAbsent(status.inode(), path);
      if (first != null) {
        archive.add(
            entry(path, TarEntry.Type.HARD_LINK, first, 0, status, Collections.emptySortedMap()));
        return;
      }
    }
    var attributes = attributes(parent, name);
    switch (status.kind()) {
      case REGULAR -> {
        try (var file = parent.openHere(name, Access.READ);
            var content = new Content(file)) {
          long size = file.status().size();
          archive.add(entry(path, TarEntry.Type.FILE, "", size, status, attributes), content);
        }
      }
      case SYMBOLIC_LINK ->
          archive.add(
              entry(
                  path, TarEntry.Type.SYMBOLIC_LINK, parent.readLink(name), 0, status, attributes));
      case FIFO -> archive.add(entry(path, TarEntry.Type.FIFO, "", 0, status, attributes));
      case CHARACTER_DEVICE ->
          archive.add(entry(path, TarEntry.Type.CHARACTER_DEVICE, "", 0, status, attributes));
      case BLOCK_DEVICE ->
          archive.add(entry(path, TarEntry.Type.BLOCK_DEVICE, "", 0, status, attributes));
      case SOCKET, DIRECTORY -> {}
    }
  }

  private static SortedMap<String, byte[]> attributes(DirectoryHandle parent, String name)
      throws KernelException {
    return FileAttributes.read(parent, name).extended();
  }

  private static TarEntry mark(String path) {
    return new TarEntry(
        path,
        TarEntry.Type.FILE,
        "",
        MARK_MODE,
        0,
        0,
        0,
        Instant.EPOCH,
        DeviceNumber.NONE,
        Collections.emptySortedMap(),
        List.of());
  }

  private static TarEntry entry(
      String path,
      TarEntry.Type type,
      String target,
      long size,
      FileStatus status,
      SortedMap<String, byte[]> attributes) {
    return new TarEntry(
        path,
        type,
        target,
        status.mode(),
        Integer.toUnsignedLong(status.uid()),
        Integer.toUnsignedLong(status.gid()),
        size,
        status.modified(),
        status.device(),
        attributes,
        List.of());
  }

  /** The content of an open file as a stream. */
  private static final class Content extends InputStream {
    private static final int BUFFER = 256 * 1024;

    private final OpenFile file;
    private final Arena memory = Arena.ofConfined();
    private final MemorySegment buffer = memory.allocate(BUFFER);
    private long position;

    Content(OpenFile file) {
      this.file = file;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      long count = file.read(buffer.asSlice(0, Math.min(length, BUFFER)), position);
      if (count == 0) {
        return -1;
      }
      MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, target, offset, (int) count);
      position += count;
      return (int) count;
    }

    @Override
    public void close() {
      memory.close();
    }
  }
}
