package dev.caisson.library;

/** Why a call was refused or failed; front ends translate it into their own codes. */
public enum Reason {
  /** No such container, exec, image or file. */
  NOT_FOUND,
  /** The id or name is in use. */
  ALREADY_EXISTS,
  /** The request can never work as it stands: a bad option, value or reference. */
  INVALID,
  /** The request does not fit the present state, for example starting what already runs. */
  WRONG_STATE,
  /** The program to run does not exist in the container (exit code 127 of the command line). */
  PROGRAM_NOT_FOUND,
  /** The program to run exists but cannot be executed (exit code 126). */
  PROGRAM_NOT_EXECUTABLE,
  /**
   * Something needed is not there now: a registry, the daemon, disk space; trying again may help.
   */
  UNAVAILABLE,
  /** The caller or this machine lacks the right. */
  DENIED,
  /** The time given ran out. */
  TIMEOUT,
  /** A defect or an unexpected failure of the machine. */
  INTERNAL
}
