package dev.caisson.engine;

/**
 * Why a call on a pod failed. Front ends translate it into their own codes in an exhaustive switch.
 */
public enum Reason {
  /** No such pod, task or exec. */
  NOT_FOUND,
  /** The id is taken. */
  ALREADY_EXISTS,
  /** The request can never work as it stands. */
  INVALID,
  /** The request does not fit the present state; containerd's FailedPrecondition. */
  WRONG_STATE,
  /** The program to run does not exist in the container. */
  PROGRAM_NOT_FOUND,
  /** The program to run exists but cannot be executed. */
  PROGRAM_NOT_EXECUTABLE,
  /** This isolation cannot do it at all. */
  UNSUPPORTED,
  /** Something outside did not answer in time or is missing. */
  UNAVAILABLE,
  /** An unexpected failure of the machine or of ours. */
  INTERNAL
}
