package dev.caisson.linux;

import java.util.Set;

/** Properties of a mount. Source: mount(2). */
public enum MountFlag {
  READ_ONLY(1, "ro"),
  NO_SUID(2, "nosuid"),
  NO_DEVICES(4, "nodev"),
  NO_EXEC(8, "noexec"),
  SYNCHRONOUS(16, "sync"),
  DIRECTORY_SYNC(128, "dirsync"),
  NO_SYMLINK_FOLLOW(256, "nosymfollow"),
  NO_ACCESS_TIME(1024, "noatime"),
  NO_DIRECTORY_ACCESS_TIME(2048, "nodiratime"),
  RELATIVE_ACCESS_TIME(1 << 21, "relatime"),
  STRICT_ACCESS_TIME(1 << 24, "strictatime");

  private final long bit;
  private final String option;

  MountFlag(long bit, String option) {
    this.bit = bit;
    this.option = option;
  }

  /** The word for it in fstab(5) and mountinfo, for example "nosuid". */
  public String option() {
    return option;
  }

  static long bits(Set<MountFlag> flags) {
    long bits = 0;
    for (MountFlag flag : flags) {
      bits |= flag.bit;
    }
    return bits;
  }
}
