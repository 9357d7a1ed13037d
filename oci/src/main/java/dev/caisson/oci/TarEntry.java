package dev.caisson.oci;

import dev.caisson.linux.DeviceNumber;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;

/**
 * One entry of a tar archive, all formats alike.
 *
 * @param path as it stands in the archive, read as {@link dev.caisson.linux.ByteText} does
 * @param type what it is
 * @param target of a link, otherwise ""
 * @param mode permission, set-id and sticky bits
 * @param uid owner, 0 to 4,294,967,294
 * @param gid group, likewise
 * @param size of the file's content with its holes, in bytes; 0 if it is no file
 * @param modified time of the last change
 * @param device of a device file
 * @param attributes extended attributes by key
 * @param extents where the stored bytes of a sparse file belong, in order; for other files, one
 *     extent over the whole or none if it is empty
 */
record TarEntry(
    String path,
    Type type,
    String target,
    int mode,
    long uid,
    long gid,
    long size,
    Instant modified,
    DeviceNumber device,
    SortedMap<String, byte[]> attributes,
    List<Extent> extents) {
  /** Kinds of entries, with their letter in the header. */
  enum Type {
    FILE('0'),
    HARD_LINK('1'),
    SYMBOLIC_LINK('2'),
    CHARACTER_DEVICE('3'),
    BLOCK_DEVICE('4'),
    DIRECTORY('5'),
    FIFO('6');

    private final char letter;

    Type(char letter) {
      this.letter = letter;
    }

    char letter() {
      return letter;
    }
  }

  /** A range of a file that is stored; what lies between ranges is zeros. */
  record Extent(long offset, long length) {}

  TarEntry {
    extents = List.copyOf(extents);
  }
}
