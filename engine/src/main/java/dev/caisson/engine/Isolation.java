package dev.caisson.engine;

/** What stands between a pod and the host. Chosen per pod; a task whose own differs is refused. */
public sealed interface Isolation {
  /** Namespaces, cgroup, seccomp and capabilities, made by a low-level OCI runtime. */
  record Process() implements Isolation {}
}
