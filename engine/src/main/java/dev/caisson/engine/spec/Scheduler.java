package dev.caisson.engine.spec;

import dev.caisson.json.Unknown;
import dev.caisson.json.Unsigned;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a process gets processor time, as sched_setattr(2) has it. Source: runtime specification,
 * config.md, Linux process.
 *
 * @param policy {@code SCHED_OTHER}
 * @param nice -20 to 19
 * @param priority 1 to 99 with {@code SCHED_FIFO} and {@code SCHED_RR}
 * @param flags {@code SCHED_FLAG_RESET_ON_FORK}
 * @param runtime nanoseconds in each period, with {@code SCHED_DEADLINE}
 * @param deadline nanoseconds within which it gets them
 * @param period length of a period in nanoseconds
 * @param others everything else, unchanged
 */
public record Scheduler(
    String policy,
    Optional<Integer> nice,
    Optional<Integer> priority,
    List<String> flags,
    @Unsigned Optional<Long> runtime,
    @Unsigned Optional<Long> deadline,
    @Unsigned Optional<Long> period,
    @Unknown Map<String, Object> others) {

  /** Copies what could change under it. */
  public Scheduler {
    flags = List.copyOf(flags);
    others = Ordered.copy(others);
  }
}
