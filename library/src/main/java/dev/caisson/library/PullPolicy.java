package dev.caisson.library;

/** When a container's image is asked for at its registry. */
public enum PullPolicy {
  /** Always, to have the newest. */
  ALWAYS,
  /** When it is not on this node. */
  MISSING,
  /** Never: it must be on this node. */
  NEVER
}
