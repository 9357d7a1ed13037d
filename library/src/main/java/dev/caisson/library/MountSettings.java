package dev.caisson.library;

import java.util.List;

/**
 * A mount asked for by the user.
 *
 * @param kind bind or tmpfs
 * @param source absolute path on the host (bind); empty for tmpfs
 * @param destination absolute path in the container
 * @param options mount options in mount(8)'s words: {@code ro}, {@code rw}, {@code nosuid}, {@code
 *     rslave}, {@code size=64m} …
 * @param createSource make a missing source directory (what {@code -v} does and {@code --mount}
 *     does not)
 */
public record MountSettings(
    Kind kind, String source, String destination, List<String> options, boolean createSource) {

  /** Copies what could change under it. */
  public MountSettings {
    options = List.copyOf(options);
  }

  /** Kinds of mounts. */
  public enum Kind {
    BIND,
    TMPFS
  }

  /** The host's {@code source} at {@code destination}. */
  public static MountSettings bind(String source, String destination, String... options) {
    return new MountSettings(Kind.BIND, source, destination, List.of(options), false);
  }

  /** An empty file system in memory at {@code destination}. */
  public static MountSettings tmpfs(String destination, String... options) {
    return new MountSettings(Kind.TMPFS, "", destination, List.of(options), false);
  }
}
