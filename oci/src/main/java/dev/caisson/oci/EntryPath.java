package dev.caisson.oci;

import dev.caisson.linux.ByteText;
import java.util.ArrayList;
import java.util.List;

/**
 * The path of an entry, cleaned: no empty and no "." components. May hold "..", which the descent
 * stops at the root.
 *
 * @param parents components before the last
 * @param name the last component; "" for the root itself
 */
record EntryPath(List<String> parents, String name) {
  private static final int LONGEST_NAME = 255;
  private static final int LONGEST_PATH = 4095;

  EntryPath {
    parents = List.copyOf(parents);
  }

  /**
   * Reads a path, absolute or not.
   *
   * @throws IllegalArgumentException if no file can have it
   */
  static EntryPath of(String path) {
    var parts = new ArrayList<String>();
    for (String part : path.split("/")) {
      if (part.isEmpty() || part.equals(".")) {
        continue;
      }
      if (part.length() * 3 > LONGEST_NAME && ByteText.encode(part).length > LONGEST_NAME) {
        throw new IllegalArgumentException(
            "a part of its name has more than " + LONGEST_NAME + " bytes");
      }
      parts.add(part);
    }
    if (path.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("its name has a NUL byte");
    }
    if (ByteText.encode(path).length > LONGEST_PATH) {
      throw new IllegalArgumentException("its path has more than " + LONGEST_PATH + " bytes");
    }
    if (parts.isEmpty()) {
      return new EntryPath(List.of(), "");
    }
    if (parts.getLast().equals("..")) {
      throw new IllegalArgumentException("its path ends in '..'");
    }
    return new EntryPath(parts.subList(0, parts.size() - 1), parts.getLast());
  }

  boolean isRoot() {
    return name.isEmpty();
  }

  String parent() {
    return String.join("/", parents);
  }
}
