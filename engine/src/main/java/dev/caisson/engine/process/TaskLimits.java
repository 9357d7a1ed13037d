package dev.caisson.engine.process;

import dev.caisson.engine.PodException;
import dev.caisson.engine.Reason;
import dev.caisson.engine.spec.Finding;
import dev.caisson.engine.spec.Resources;
import dev.caisson.engine.spec.SpecCheck;
import dev.caisson.linux.Cgroup;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Undo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The limits of a living task. A change is checked together with what is set already, and then made
 * whole or not at all. One change of a task at a time.
 */
final class TaskLimits {
  private static final String MEMORY = "linux.resources.memory";

  private final Cgroup group;
  private final LimitFiles files;
  private final String tried;

  TaskLimits(Cgroup group, String tried) {
    this.group = group;
    this.files = new LimitFiles(group);
    this.tried = tried;
  }

  /**
   * Changes what the resources name.
   *
   * @throws PodException {@code INVALID} when old and new do not go together, or the kernel refuses
   *     a value; {@code UNSUPPORTED} for what this machine cannot change in a living task; {@code
   *     WRONG_STATE} when the task uses more than it would be allowed; {@code NOT_FOUND} when it
   *     has ended. Nothing has changed then.
   */
  void change(Resources change) {
    refuseUnsupported(change);
    try {
      check(change);
      make(files.writes(change));
    } catch (LimitFiles.Missing e) {
      throw group.exists()
          ? new PodException(Reason.UNSUPPORTED, tried, String.valueOf(e.getMessage()), "", e)
          : ended(e);
    } catch (IOException e) {
      throw group.exists()
          ? new PodException(Reason.INTERNAL, tried, String.valueOf(e.getMessage()), "", e)
          : ended(e);
    }
  }

  private void refuseUnsupported(Resources change) {
    var found = new ArrayList<String>();
    add(found, "devices", !change.devices().isEmpty());
    add(found, "hugepageLimits", !change.hugepageLimits().isEmpty());
    add(found, "network", change.network().isPresent());
    add(found, "rdma", !change.rdma().isEmpty());
    change.others().keySet().forEach(name -> add(found, name, true));
    change
        .memory()
        .ifPresent(memory -> {
          add(found, "memory.kernel", memory.kernel().isPresent());
          add(found, "memory.kernelTCP", memory.kernelTcp().isPresent());
          add(found, "memory.disableOOMKiller", memory.disableOomKiller().isPresent());
          add(found, "memory.useHierarchy", memory.useHierarchy().isPresent());
        });
    change
        .blockIo()
        .ifPresent(io -> {
          add(found, "blockIO.leafWeight", io.leafWeight().isPresent());
          add(found, "blockIO.weightDevice", !io.weightDevice().isEmpty());
        });
    if (!found.isEmpty()) {
      throw new PodException(
          Reason.UNSUPPORTED,
          tried,
          "linux.resources." + String.join(", linux.resources.", found) + " cannot be changed",
          "create the task again with it");
    }
  }

  private static void add(List<String> found, String name, boolean wanted) {
    if (wanted) {
      found.add(name);
    }
  }

  // ---- old and new together ----

  private void check(Resources change) throws IOException {
    var merged = change;
    if (change.memory().isPresent()) {
      var memory = merged(change.memory().get(), files.memory());
      checkMemory(change.memory().get(), memory);
      merged = merged.withMemory(memory);
    }
    if (change.cpu().isPresent()) {
      merged = merged.withCpu(merged(change.cpu().get(), files.cpu()));
    }
    var errors = SpecCheck.of(merged).errors();
    if (!errors.isEmpty()) {
      throw new PodException(
          Reason.INVALID,
          tried,
          errors.stream().map(Finding::text).collect(Collectors.joining("; ")),
          "this is what is set already and the change together");
    }
  }

  private static Resources.Memory merged(Resources.Memory change, Resources.Memory before) {
    var merged = change;
    merged = isSet(change.limit()) ? merged : withLimit(merged, before);
    merged = isSet(change.swap()) ? merged : withSwap(merged, before);
    return isSet(change.reservation()) ? merged : withReservation(merged, before);
  }

  /** 0 is the specification's word for not set. */
  private static boolean isSet(Optional<Long> value) {
    return value.filter(number -> number != 0).isPresent();
  }

  private static Resources.Memory withLimit(Resources.Memory to, Resources.Memory from) {
    return from.limit().map(to::withLimit).orElse(to);
  }

  private static Resources.Memory withSwap(Resources.Memory to, Resources.Memory from) {
    return from.swap().map(to::withSwap).orElse(to);
  }

  private static Resources.Memory withReservation(Resources.Memory to, Resources.Memory from) {
    return from.reservation().map(to::withReservation).orElse(to);
  }

  private static Resources.Cpu merged(Resources.Cpu change, Resources.Cpu before) {
    var merged = change;
    if (!isSet(change.quota()) && before.quota().isPresent()) {
      merged = merged.withQuota(before.quota().get());
    }
    if (!isSet(change.period()) && before.period().isPresent()) {
      merged = merged.withPeriod(before.period().get());
    }
    return merged;
  }

  private void checkMemory(Resources.Memory change, Resources.Memory merged) throws IOException {
    long limit = merged.limit().orElse(LimitFiles.UNLIMITED);
    long together = merged.swap().orElse(LimitFiles.UNLIMITED);
    if (together >= 0 && limit < 0) {
      throw new PodException(
          Reason.INVALID,
          tried,
          MEMORY + ".limit would be none, but memory and swap together " + together,
          "give both");
    }
    if (change.checkBeforeUpdate().orElse(false) && isSet(change.limit())) {
      long used = files.memoryInUse();
      if (limit >= 0 && used > limit) {
        throw new PodException(
            Reason.WRONG_STATE,
            tried,
            MEMORY + ".limit " + limit + " is less than the " + used + " in use",
            "give more");
      }
    }
  }

  // ---- all or nothing ----

  private void make(List<LimitFiles.Write> writes) throws IOException {
    try (var undo = new Undo()) {
      for (var write : writes) {
        try {
          write.file().write(write.value());
        } catch (KernelException e) {
          throw refused(write, e);
        }
        undo.own(() -> write.file().write(write.before()));
      }
      var _ = undo.keep();
    }
  }

  private PodException refused(LimitFiles.Write write, KernelException e) {
    if (!group.exists()) {
      return ended(e);
    }
    var found = "linux.resources." + write.field() + ": " + e.getMessage();
    return switch (e.errno()) {
      case EBUSY ->
          new PodException(
              Reason.WRONG_STATE, tried, found, "the task uses more than that; give more", e);
      case EINVAL, ERANGE, EACCES, ENODEV, ENOSPC ->
          new PodException(
              Reason.INVALID,
              tried,
              found,
              "give a value that this machine and its tasks allow",
              e);
      default -> new PodException(Reason.INTERNAL, tried, found, "", e);
    };
  }

  private PodException ended(IOException e) {
    return new PodException(Reason.NOT_FOUND, tried, "it has ended", "", e);
  }
}
