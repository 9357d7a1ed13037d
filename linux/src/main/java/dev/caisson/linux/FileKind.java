package dev.caisson.linux;

/** What stands behind a name: the type bits of a file's mode. Source: inode(7). */
public enum FileKind {
  FIFO(0x1000, 1),
  CHARACTER_DEVICE(0x2000, 2),
  DIRECTORY(0x4000, 4),
  BLOCK_DEVICE(0x6000, 6),
  REGULAR(0x8000, 8),
  SYMBOLIC_LINK(0xA000, 10),
  SOCKET(0xC000, 12);

  private static final int MASK = 0xF000;

  private final int bits;
  private final int entryType;

  FileKind(int bits, int entryType) {
    this.bits = bits;
    this.entryType = entryType;
  }

  /** The bits as in {@code st_mode}, for example 0100000 octal for a regular file. */
  public int bits() {
    return bits;
  }

  static FileKind ofMode(int mode) {
    for (FileKind kind : values()) {
      if (kind.bits == (mode & MASK)) {
        return kind;
      }
    }
    throw new IllegalArgumentException("mode 0" + Integer.toOctalString(mode) + ": no file type");
  }

  /** Whether a directory entry's {@code d_type} is this kind. */
  boolean isEntryType(int type) {
    return entryType == type;
  }
}
