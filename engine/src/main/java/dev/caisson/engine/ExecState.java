package dev.caisson.engine;

import dev.caisson.json.Tagged;
import dev.caisson.linux.ProcessIdentity;
import java.time.Instant;

/** State of a process of a task: init or an exec. Each case holds what exists only in it. */
@Tagged("state")
public sealed interface ExecState {

  /** Made, not started. */
  record Created() implements ExecState {}

  /** Started and not known to have ended. */
  record Running(ProcessIdentity process, Instant since) implements ExecState {}

  /** Ended; final. */
  record Exited(ExitStatus status, Instant at) implements ExecState {}

  /** What happens to a process. */
  sealed interface Change {
    /** Its program runs. */
    record Started(ProcessIdentity process, Instant at) implements Change {}

    /** It is gone. */
    record Died(ExitStatus status, Instant at) implements Change {}
  }

  /**
   * The state after a change. An exit may come before the start's reply, and the first exit
   * reported is the one that counts.
   *
   * @throws PodException {@code WRONG_STATE} when started twice
   */
  default ExecState after(Change change, String tried) {
    record Step(ExecState from, Change change) {}
    return switch (new Step(this, change)) {
      case Step(Created _, Change.Started(var process, var at)) -> new Running(process, at);
      case Step(Created _, Change.Died(var status, var at)) -> new Exited(status, at);
      case Step(Running _, Change.Died(var status, var at)) -> new Exited(status, at);
      case Step(Exited first, Change.Died _) -> first;
      case Step(Running _, Change.Started _) ->
          throw new PodException(Reason.WRONG_STATE, tried, "it is running already", "");
      case Step(Exited(var status, _), Change.Started _) ->
          throw new PodException(
              Reason.WRONG_STATE,
              tried,
              "it exited with " + status.code(),
              "delete it and create it again");
    };
  }
}
