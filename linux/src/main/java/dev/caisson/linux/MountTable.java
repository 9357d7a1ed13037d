package dev.caisson.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The mounts of a mount namespace, in the order they were made.
 *
 * @param mounts all of them
 */
public record MountTable(List<MountInfo> mounts) {
  public MountTable {
    mounts = List.copyOf(mounts);
  }

  /** Of this thread's namespace. */
  public static MountTable read() throws IOException {
    return read(Path.of("/proc/thread-self/mountinfo"));
  }

  /** Of the namespace of a process. */
  public static MountTable ofProcess(long pid) throws IOException {
    return read(Path.of("/proc/" + pid + "/mountinfo"));
  }

  private static MountTable read(Path file) throws IOException {
    return parse(ByteText.decode(Files.readAllBytes(file)));
  }

  static MountTable parse(String text) {
    return new MountTable(text.lines().map(MountInfo::parse).toList());
  }

  /** The topmost mount right at {@code target}. */
  public Optional<MountInfo> at(Path target) {
    return mounts.stream().filter(m -> m.target().equals(target)).reduce((_, last) -> last);
  }

  /** The mounts at and below {@code directory}, the last made first: the order to unmount them. */
  public List<MountInfo> within(Path directory) {
    return mounts.stream().filter(m -> m.target().startsWith(directory)).toList().reversed();
  }

  /** The mount that {@code path} lies on; the path must be absolute and without links. */
  public Optional<MountInfo> holding(Path path) {
    return mounts.stream()
        .filter(m -> path.startsWith(m.target()))
        .reduce((a, b) -> b.target().getNameCount() >= a.target().getNameCount() ? b : a);
  }
}
