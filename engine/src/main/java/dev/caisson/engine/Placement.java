package dev.caisson.engine;

import java.util.Map;
import java.util.Optional;

/**
 * Where a task belongs, as annotations of Kubernetes' container runtimes say: {@code
 * io.kubernetes.cri.container-type} and {@code io.kubernetes.cri.sandbox-id}, or CRI-O's spelling
 * of both. Where both spellings are there they must agree.
 */
public sealed interface Placement {
  /** A pod of its own. */
  record Standalone() implements Placement {}

  /** The sandbox task of the pod. */
  record SandboxOf(PodId pod) implements Placement {}

  /** A workload of the pod. */
  record WorkloadOf(PodId pod) implements Placement {}

  /**
   * Reads annotations.
   *
   * @throws PodException {@code INVALID} when only one of type and id is there, the type is unknown
   *     (an empty one too), or the spellings disagree
   */
  static Placement of(Map<String, String> annotations) {
    var type =
        agreeing(
            annotations, "io.kubernetes.cri.container-type", "io.kubernetes.cri-o.ContainerType");
    var id = agreeing(annotations, "io.kubernetes.cri.sandbox-id", "io.kubernetes.cri-o.SandboxID");
    if (type.isEmpty()) {
      if (id.isPresent() && !id.get().isEmpty()) {
        throw invalid("sandbox id '" + id.get() + "' without a container type");
      }
      return new Standalone();
    }
    if (id.isEmpty() || id.get().isEmpty()) {
      throw invalid("container type '" + type.get() + "' without a sandbox id");
    }
    PodId pod;
    try {
      pod = new PodId(id.get());
    } catch (IllegalArgumentException e) {
      throw new PodException(
          Reason.INVALID, "read the pod annotations", String.valueOf(e.getMessage()), "", e);
    }
    return switch (type.get()) {
      case "sandbox" -> new SandboxOf(pod);
      case "container" -> new WorkloadOf(pod);
      default -> throw invalid("container type '" + type.get() + "'");
    };
  }

  /**
   * The pod a task is made in: its own for a standalone one and a sandbox.
   *
   * @throws PodException {@code WRONG_STATE} when a sandbox names another pod than itself, or a
   *     workload itself
   */
  default PodId podOf(TaskId task) {
    return switch (this) {
      case Standalone() -> new PodId(task.value());
      case SandboxOf(var pod) -> {
        if (!pod.value().equals(task.value())) {
          throw misplaced(
              task, "a sandbox of pod '" + pod + "'", "a pod and its sandbox share one id");
        }
        yield pod;
      }
      case WorkloadOf(var pod) -> {
        if (pod.value().equals(task.value())) {
          throw misplaced(task, "a workload of itself", "name its pod's sandbox");
        }
        yield pod;
      }
    };
  }

  private static PodException misplaced(TaskId task, String found, String advice) {
    return new PodException(
        Reason.WRONG_STATE, "place task '" + task + "'", "it says it is " + found, advice);
  }

  private static Optional<String> agreeing(
      Map<String, String> annotations, String usual, String other) {
    var first = Optional.ofNullable(annotations.get(usual));
    var second = Optional.ofNullable(annotations.get(other));
    if (first.isPresent() && second.isPresent() && !first.equals(second)) {
      throw invalid(
          "'%s' says '%s' but '%s' says '%s'".formatted(usual, first.get(), other, second.get()));
    }
    return first.or(() -> second);
  }

  private static PodException invalid(String found) {
    return new PodException(
        Reason.INVALID,
        "read the pod annotations",
        found,
        "give both type ('sandbox' or 'container') and sandbox id, or neither");
  }
}
