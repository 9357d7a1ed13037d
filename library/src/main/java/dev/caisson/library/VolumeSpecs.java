package dev.caisson.library;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Mounts as people write them: Docker's {@code --volume}, {@code --mount} and {@code --tmpfs}.
 *
 * <p>What can be read in two ways is refused, not guessed.
 */
public final class VolumeSpecs {
  /** Words of mount(8) that a bind may have; of each group one. */
  private static final List<Set<String>> OPTION_GROUPS =
      List.of(
          Set.of("ro", "rw"),
          Set.of("shared", "rshared", "slave", "rslave", "private", "rprivate"),
          Set.of("suid", "nosuid"),
          Set.of("dev", "nodev"),
          Set.of("exec", "noexec"),
          Set.of("bind", "rbind"));

  /** Words for other machines (SELinux, file sharing with a desktop) that change nothing here. */
  private static final Set<String> WITHOUT_MEANING =
      Set.of("z", "Z", "nocopy", "cached", "delegated", "consistent");

  private VolumeSpecs() {}

  /**
   * Reads {@code source:destination[:options]}. The source is an absolute path, or one that begins
   * with {@code ./} or {@code ../} and is relative to {@code workingDirectory}; it is made when it
   * is missing.
   *
   * @throws IllegalArgumentException naming what is unclear or missing
   */
  public static MountSettings volume(String text, Path workingDirectory) {
    var parts = text.split(":", -1);
    if (parts.length == 1) {
      throw bad(
          "volume",
          text,
          "a new volume is wanted, but there are no volumes: say source:destination");
    }
    if (parts.length > 3) {
      throw bad(
          "volume", text, "too many ':'; for a path with ':' use --mount type=bind,src=…,dst=…");
    }
    if (parts.length == 3 && parts[2].startsWith("/")) {
      throw bad(
          "volume",
          text,
          "'" + parts[2] + "' is no option; for a path with ':' use --mount type=bind,src=…,dst=…");
    }
    var source = volumeSource(text, parts[0], workingDirectory);
    var destination = destination("volume", text, parts[1]);
    var options = parts.length == 3 ? options(text, parts[2]) : List.<String>of();
    return new MountSettings(MountSettings.Kind.BIND, source, destination, options, true);
  }

  private static String volumeSource(String text, String source, Path workingDirectory) {
    if (source.isEmpty()) {
      throw bad("volume", text, "the source is empty");
    }
    if (source.startsWith("/")) {
      return source;
    }
    if (source.equals(".")
        || source.equals("..")
        || source.startsWith("./")
        || source.startsWith("../")) {
      return workingDirectory.resolve(source).normalize().toString();
    }
    if (source.contains("/")) {
      throw bad("volume", text, "'" + source + "' is neither an absolute path nor begins with ./");
    }
    throw bad(
        "volume",
        text,
        "the named volume '" + source + "' is wanted, but there are no volumes: say a path");
  }

  private static List<String> options(String text, String words) {
    var options = new ArrayList<String>();
    for (var word : words.split(",", -1)) {
      if (!WITHOUT_MEANING.contains(word)) {
        addOption(text, options, word);
      }
    }
    return options;
  }

  private static void addOption(String text, List<String> options, String word) {
    for (var group : OPTION_GROUPS) {
      if (!group.contains(word)) {
        continue;
      }
      for (var other : options) {
        if (group.contains(other)) {
          throw bad("volume", text, "'" + other + "' and '" + word + "' exclude each other");
        }
      }
      options.add(word);
      return;
    }
    throw bad("volume", text, "unknown option '" + word + "'");
  }

  /**
   * Reads {@code type=bind,src=…,dst=…[,…]}, comma-separated values as of RFC 4180: a field with a
   * comma stands in quotes, a quote in it is doubled. Missing sources are refused when the
   * container is made, unless {@code bind-create-src} is set.
   *
   * @throws IllegalArgumentException naming what is unclear or missing
   */
  public static MountSettings mount(String text) {
    var mount = new MountFields(text);
    for (var field : fields(text)) {
      int equals = field.indexOf('=');
      if (equals < 0) {
        mount.set(field, Optional.empty());
      } else {
        mount.set(field.substring(0, equals), Optional.of(field.substring(equals + 1)));
      }
    }
    return mount.settings();
  }

  /**
   * Reads {@code destination[:options]} of a file system in memory, its options being those of
   * tmpfs(5).
   *
   * @throws IllegalArgumentException naming what is missing
   */
  public static MountSettings tmpfs(String text) {
    int colon = text.indexOf(':');
    var destination = destination("tmpfs", text, colon < 0 ? text : text.substring(0, colon));
    var options = colon < 0 ? List.<String>of() : List.of(text.substring(colon + 1).split(","));
    return new MountSettings(MountSettings.Kind.TMPFS, "", destination, options, false);
  }

  static String destination(String kind, String text, String destination) {
    if (destination.isEmpty()) {
      throw bad(kind, text, "the destination is empty");
    }
    if (!destination.startsWith("/")) {
      throw bad(
          kind,
          text,
          "the destination '"
              + destination
              + "' is not an absolute path"
              + (kind.equals("volume")
                  ? "; for a path with ':' use --mount type=bind,src=…,dst=…"
                  : ""));
    }
    return destination;
  }

  static IllegalArgumentException bad(String kind, String text, String why) {
    return new IllegalArgumentException(kind + " '" + text + "': " + why);
  }

  private static List<String> fields(String text) {
    var fields = new ArrayList<String>();
    var field = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quoted) {
        if (c != '"') {
          field.append(c);
        } else if (i + 1 < text.length() && text.charAt(i + 1) == '"') {
          field.append(c);
          i++;
        } else if (i + 1 == text.length() || text.charAt(i + 1) == ',') {
          quoted = false;
        } else {
          throw bad("mount", text, "a quote in a quoted field is written twice");
        }
      } else if (c == ',') {
        fields.add(field.toString());
        field.setLength(0);
      } else if (c == '"') {
        if (!field.isEmpty()) {
          throw bad("mount", text, "a quote stands around the whole field: \"src=/a,b\"");
        }
        quoted = true;
      } else {
        field.append(c);
      }
    }
    if (quoted) {
      throw bad("mount", text, "a quote is not closed");
    }
    fields.add(field.toString());
    return fields;
  }
}
