package dev.caisson.daemon;

import dev.caisson.daemon.container.ContainerSpec;
import dev.caisson.daemon.container.Interpreters;
import dev.caisson.daemon.container.Rights;
import dev.caisson.daemon.container.RootView;
import dev.caisson.engine.ExecId;
import dev.caisson.engine.ExecPlan;
import dev.caisson.engine.ExecState;
import dev.caisson.engine.PodException;
import dev.caisson.engine.Task;
import dev.caisson.engine.streams.LogReader;
import dev.caisson.engine.streams.Parting;
import dev.caisson.engine.streams.StreamPlan;
import dev.caisson.library.CaissonException;
import dev.caisson.library.ExecSettings;
import dev.caisson.library.ExitStatus;
import dev.caisson.library.Reason;
import dev.caisson.library.TerminalSize;
import dev.caisson.library.protocol.Attached;
import dev.caisson.library.protocol.Request;
import dev.caisson.library.protocol.StreamEnd;
import dev.caisson.library.protocol.StreamOpened;
import dev.caisson.library.protocol.Wire;
import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.Fd;
import dev.caisson.linux.Terminal;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The library's calls on what goes into containers and comes out of them: attaching, execs,
 * terminals, logs.
 */
final class ContainerStreams {
  private static final int SHORT_ID = 12;
  private static final int MOST_ENDED_EXECS = 64;

  private final KnownContainers known;
  private final ContainerPlaces places;
  private final Rights rights;
  private final Attachments attachments = new Attachments();
  private final ExecEnds execEnds = new ExecEnds();

  ContainerStreams(KnownContainers known, ContainerPlaces places, Rights rights) {
    this.known = known;
    this.places = places;
    this.rights = rights;
  }

  /** Connects the clients that attached before a container's start. */
  void connectWaiting(String id, Task task) throws IOException {
    attachments.connectWaiting(id, task.streams(Optional.empty()));
  }

  /** Gives up the clients that wait for a container that is removed. */
  void drop(String id) {
    attachments.drop(id);
  }

  Attached attach(String word) {
    var record = known.store().get(word);
    var task = known.alive(record.id());
    if (task.isEmpty() && record.exit().isPresent() && record.started().isPresent()) {
      // It may be started again: then the client is there.
      return attached(record);
    }
    if (task.isPresent() && task.get().isPaused()) {
      throw new CaissonException(
          Reason.WRONG_STATE,
          "attach to container '" + record.name() + "'",
          "it is paused",
          "unpause it first");
    }
    return attached(record);
  }

  private Attached attached(ContainerRecord record) {
    var token = attachments.register(new Attachments.Attachment(record.id(), Optional.empty()));
    return new Attached(record.id(), token, record.settings().process().terminal());
  }

  /**
   * Connects a client to the streams its token stands for. The answer is sent here, under the
   * container's lock: a client that has it may start the container at once, and the start must find
   * the connection in its place.
   */
  void openStream(Request.OpenStream wanted, Conversation client) {
    var attachment = attachments.find(wanted.token());
    var id = attachment.container();
    known.locked(
        id,
        () -> {
          try {
            var task = known.find(id);
            if (task.isEmpty() && known.store().find(id).isEmpty()) {
              throw new CaissonException(
                  Reason.NOT_FOUND, "open a stream", "the container is gone", "");
            }
            var direct =
                wanted.direct().isPresent()
                    ? client.pipeOfPeer(wanted.direct().get())
                    : Optional.<Fd>empty();
            boolean first =
                task.isPresent()
                    ? task.get().state(attachment.exec()) instanceof ExecState.Created
                    : attachments.isFirst(id, wanted.stream());
            client.send(Wire.result(new StreamOpened(first || wanted.stream().equals("stdin"))));
            var stream = attachment.stream(wanted.stream(), client.handOver(), direct);
            if (task.isEmpty()) {
              attachments.await(id, stream);
            } else {
              Attachments.connect(task.get().streams(attachment.exec()), stream, first);
            }
          } catch (IOException e) {
            throw KnownContainers.internal("attach to container " + id.substring(0, SHORT_ID), e);
          }
        });
  }

  /** How a stream that has ended did. */
  StreamEnd endOfStream(String token, String stream) {
    var parting = Optional.ofNullable(attachments.find(token).parted().get(stream));
    return new StreamEnd(
        switch (parting.orElse(Parting.DONE)) {
          case DONE -> StreamEnd.How.WHOLE;
          case READER_GONE -> StreamEnd.How.READER_GONE;
          case TOO_SLOW -> StreamEnd.How.TOO_SLOW;
        });
  }

  Attached exec(String word, ExecSettings settings, boolean detached) {
    var record = known.store().get(word);
    var task = known.task(word, "exec in");
    KnownContainers.checkWhole(record, "exec in container '" + record.name() + "'");
    var exec = new ExecId(Names.newId().substring(0, SHORT_ID));
    try (var handle = DirectoryHandle.open(places.rootfs(record.id()))) {
      var view = new RootView(handle);
      var process =
          ContainerSpec.exec(record.spec(), record.settings().process(), settings, view, rights);
      Interpreters.check(
          "exec in container '" + record.name() + "'", process, view, record.spec().mounts());
      forgetOldExecs(task);
      task.createExec(
          new ExecPlan(
              exec,
              process,
              new StreamPlan(
                  settings.terminal(),
                  settings.stdin() && !detached,
                  settings.terminalSize().map(ContainerStreams::size),
                  Optional.empty())));
    } catch (IOException e) {
      throw KnownContainers.internal("exec in container '" + record.name() + "'", e);
    }
    if (detached) {
      startExec(word, exec.value());
      return new Attached(exec.value(), "", settings.terminal());
    }
    var token = attachments.register(new Attachments.Attachment(record.id(), Optional.of(exec)));
    return new Attached(exec.value(), token, settings.terminal());
  }

  private static void forgetExec(Task task, ExecId exec, PodException failure) {
    try {
      task.deleteExec(exec);
    } catch (PodException e) {
      // Gone with its container.
      failure.addSuppressed(e);
    }
  }

  /** Ends of execs are kept so that they can still be asked for, but not for ever. */
  private static void forgetOldExecs(Task task) {
    var ended =
        task.execs().entrySet().stream()
            .filter(entry -> entry.getValue() instanceof ExecState.Exited)
            .toList();
    for (int i = 0; i < ended.size() - MOST_ENDED_EXECS; i++) {
      try {
        task.deleteExec(ended.get(i).getKey());
      } catch (PodException e) {
        KnownContainers.log("forget exec " + ended.get(i).getKey(), e);
      }
    }
  }

  void startExec(String word, String exec) {
    var task = known.task(word, "exec in");
    var id = new ExecId(exec);
    try {
      var end = execEnd(task, id);
      task.startExec(id);
      execEnds.add(exec, end);
    } catch (PodException e) {
      forgetExec(task, id, e);
      throw KnownContainers.unlessEnded(task, e);
    }
  }

  /** Completes with how an exec ended. */
  CompletableFuture<ExitStatus> execEnded(String word, String exec) {
    return execEnds
        .find(exec)
        .orElseGet(
            () -> execEnd(known.task(word, "wait for exec '" + exec + "' in"), new ExecId(exec)));
  }

  private static CompletableFuture<ExitStatus> execEnd(Task task, ExecId exec) {
    return task.ended(Optional.of(exec))
        .thenApply(exited -> new ExitStatus(exited.status().code(), exited.at(), false));
  }

  void resize(String word, Optional<String> exec, TerminalSize size) {
    var record = known.store().get(word);
    var task = known.find(record.id());
    if (task.isEmpty()) {
      return;
    }
    if (!task.get().streams(exec.map(ExecId::new)).resize(size(size))) {
      throw new CaissonException(
          Reason.WRONG_STATE,
          "resize the terminal of container '" + record.name() + "'",
          "it has no terminal",
          "");
    }
  }

  LogReader logs(String word, boolean follow) {
    var record = known.store().get(word);
    var id = record.id();
    if (!record.settings().log().kept()) {
      throw new CaissonException(
          Reason.WRONG_STATE,
          "read the log of container '" + record.name() + "'",
          "none is kept",
          "run it without --log-driver none");
    }
    return LogReader.open(places.logFile(id), () -> follow && known.alive(id).isPresent());
  }

  static Terminal.Size size(TerminalSize size) {
    return new Terminal.Size(size.columns(), size.rows());
  }
}
