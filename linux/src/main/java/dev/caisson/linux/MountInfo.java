package dev.caisson.linux;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * One mount as /proc/PID/mountinfo tells it. Source: proc(5).
 *
 * @param id number of the mount
 * @param parent number of the mount it lies on
 * @param device device of the file system
 * @param root which directory of the file system is mounted
 * @param target where it is mounted
 * @param options of the mount, for example "ro"
 * @param propagation tags such as "shared:5" or "master:3"; empty for a private mount
 * @param type of the file system
 * @param source device or word
 * @param superOptions of the file system, for example "lowerdir=/a"
 */
public record MountInfo(
    int id,
    int parent,
    DeviceNumber device,
    String root,
    Path target,
    Set<String> options,
    List<String> propagation,
    String type,
    String source,
    String superOptions) {
  public MountInfo {
    options = Set.copyOf(options);
    propagation = List.copyOf(propagation);
  }

  /**
   * Reads one line.
   *
   * @throws IllegalArgumentException if it does not have the form
   */
  static MountInfo parse(String line) {
    String[] fields = line.split(" ");
    int separator = 6;
    while (separator < fields.length && !fields[separator].equals("-")) {
      separator++;
    }
    if (separator + 3 > fields.length) {
      throw new IllegalArgumentException("mountinfo line '" + line + "': too few fields");
    }
    String[] device = fields[2].split(":");
    return new MountInfo(
        Integer.parseInt(fields[0]),
        Integer.parseInt(fields[1]),
        new DeviceNumber(Integer.parseInt(device[0]), Integer.parseInt(device[1])),
        unescape(fields[3]),
        Path.of(unescape(fields[4])),
        Set.copyOf(List.of(fields[5].split(","))),
        List.of(fields).subList(6, separator),
        fields[separator + 1],
        unescape(fields[separator + 2]),
        separator + 3 < fields.length ? unescape(fields[separator + 3]) : "");
  }

  /** Blanks, tabs, newlines and backslashes stand as three octal digits. */
  private static String unescape(String field) {
    if (field.indexOf('\\') < 0) {
      return field;
    }
    var text = new StringBuilder();
    for (int i = 0; i < field.length(); i++) {
      char c = field.charAt(i);
      if (c == '\\' && i + 3 < field.length()) {
        text.append((char) Integer.parseInt(field.substring(i + 1, i + 4), 8));
        i += 3;
      } else {
        text.append(c);
      }
    }
    return text.toString();
  }
}
