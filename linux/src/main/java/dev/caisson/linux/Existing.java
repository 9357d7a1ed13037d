package dev.caisson.linux;

/** What a rename does with a file that already has the new name. Source: renameat2(2). */
public enum Existing {
  /** It is replaced in one step. */
  REPLACE(0),
  /** The rename fails with EEXIST. */
  REFUSE(1),
  /** The two files swap names. */
  EXCHANGE(2);

  private final int flags;

  Existing(int flags) {
    this.flags = flags;
  }

  int flags() {
    return flags;
  }
}
