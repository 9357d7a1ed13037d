package dev.caisson.library;

/** States of a container. */
public enum ContainerState {
  CREATED,
  RUNNING,
  PAUSED,
  EXITED
}
