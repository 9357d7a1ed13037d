package dev.caisson.library;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The containers of a node. A container is named by its id, an unambiguous beginning of its id, or
 * its name.
 *
 * <p>States: {@code created}, {@code running}, {@code paused}, {@code exited}. Every call names the
 * states it is valid in; elsewhere it fails with {@link Reason#WRONG_STATE}. An unknown container
 * is {@link Reason#NOT_FOUND}.
 */
public interface Containers {

  /**
   * Makes a container: checks all settings, finds its image (pulling it as {@link
   * ContainerSettings#pull()} says), mounts its root and lets the low-level runtime prepare its
   * first process. Nothing is left after a failure.
   *
   * @return the id (64 hexadecimal digits) and what had to be done differently than asked
   */
  default Created create(ContainerSettings settings) {
    return create(settings, _ -> {});
  }

  /** As above, telling of the pull if there is one. */
  Created create(ContainerSettings settings, Consumer<TransferProgress> progress);

  /** What {@link #create} made. {@code warnings} are sentences for a person. */
  record Created(String id, List<String> warnings) {}

  /** Runs the first process of a {@code created} or {@code exited} container. */
  void start(String container);

  /**
   * Connects the caller to the container's streams, before or after {@link #start}. Several callers
   * may be attached; the first one that asked for output before the start is never left behind (it
   * slows the container as a pipe does); later ones are cut off when they do not read for long.
   */
  Attachment attach(String container, AttachSettings settings);

  /**
   * Waits until the container has ended, and answers with its status; at once when it ended
   * already.
   */
  ExitStatus await(String container);

  /**
   * Ends a running container: its stop signal, then, after {@code grace}, SIGKILL to all its
   * processes. Harmless on a container that has ended.
   *
   * @param grace time for the program to end by itself; empty for the container's own setting (10
   *     s)
   */
  void stop(String container, Optional<Duration> grace);

  /**
   * Sends a signal to the first process ({@code running}, {@code paused}), or to all.
   *
   * @param signal name with or without SIG, or number
   */
  void kill(String container, String signal, boolean all);

  /** Freezes all processes of a {@code running} container. */
  void pause(String container);

  /** Lets a {@code paused} container go on. */
  void unpause(String container);

  /**
   * Removes a {@code created} or {@code exited} container; a running one too when {@code force} is
   * set.
   */
  void remove(String container, boolean force);

  /** Changes limits of a container in any state; those not named stay. Returns warnings. */
  List<String> update(String container, Limits limits);

  /** Present use of resources of a {@code running} or {@code paused} container. */
  Stats stats(String container);

  /** All processes in the container, also those nobody asked for. */
  List<ProcessEntry> top(String container);

  /** Everything known of a container. */
  ContainerInfo inspect(String container);

  /** All containers in order of creation, also ended ones; the caller filters. */
  List<ContainerSummary> list();

  /** The container's log as it was written, and, when followed, what comes until it ends. */
  LogReader logs(String container, LogSettings settings);

  /**
   * Makes and starts a process in a {@code running} container and connects the caller to its
   * streams.
   */
  Attachment exec(String container, ExecSettings settings);

  /**
   * Starts a process in a {@code running} container without connecting to it. Returns the exec id.
   */
  String execDetached(String container, ExecSettings settings);

  /**
   * Tells the terminal's size to the container's first process, or to {@code exec}. Remembered when
   * the process has not started; a size of zero is ignored.
   */
  void resize(String container, Optional<String> exec, TerminalSize size);

  /**
   * The same containers; output of what is attached to through them goes straight into this
   * program's own standard output and error where these are pipes, without passing through it.
   * {@link Attachment#stdout()} and {@link Attachment#stderr()} then give what a pipe did not take
   * by the end, and have to be read all the same.
   */
  default Containers withOwnOutput() {
    return this;
  }

  /** Labels, image and state of all containers whose labels match; see {@link #list}. */
  default List<ContainerSummary> labelled(Map<String, String> labels) {
    return list().stream()
        .filter(c -> c.labels().entrySet().containsAll(labels.entrySet()))
        .toList();
  }
}
