package dev.caisson.linux;

/** Flags of the calls that work relative to a directory. Source: open(2), openat2(2), linkat(2). */
final class At {
  static final int CURRENT_DIRECTORY = -100;
  static final int SYMLINK_NOFOLLOW = 0x100;
  static final int REMOVE_DIRECTORY = 0x200;
  static final int EMPTY_PATH = 0x1000;

  static final long RESOLVE_NO_XDEV = 0x01;
  static final long RESOLVE_NO_MAGICLINKS = 0x02;
  static final long RESOLVE_NO_SYMLINKS = 0x04;
  static final long RESOLVE_BENEATH = 0x08;
  static final long RESOLVE_IN_ROOT = 0x10;

  // Three flags of open have numbers of their own on arm64.
  private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");

  static final int O_RDONLY = 0;
  static final int O_WRONLY = 1;
  static final int O_RDWR = 2;
  static final int O_CREAT = 0x40;
  static final int O_EXCL = 0x80;
  static final int O_NOCTTY = 0x100;
  static final int O_TRUNC = 0x200;
  static final int O_NONBLOCK = 0x800;
  static final int O_DIRECTORY = ARM ? 0x4000 : 0x10000;
  static final int O_NOFOLLOW = ARM ? 0x8000 : 0x20000;
  static final int O_CLOEXEC = 0x80000;
  static final int O_PATH = 0x200000;

  private At() {}
}
