package dev.caisson.linux;

/** What an opened file is for. */
public enum Access {
  READ(At.O_RDONLY),
  WRITE(At.O_WRONLY),
  READ_WRITE(At.O_RDWR);

  private final int flags;

  Access(int flags) {
    this.flags = flags;
  }

  int flags() {
    return flags;
  }
}
