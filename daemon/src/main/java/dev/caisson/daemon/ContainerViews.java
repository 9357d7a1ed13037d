package dev.caisson.daemon;

import dev.caisson.engine.ExecId;
import dev.caisson.engine.ExecState;
import dev.caisson.engine.Task;
import dev.caisson.json.Json;
import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerInfo;
import dev.caisson.library.ContainerState;
import dev.caisson.library.ContainerSummary;
import dev.caisson.library.ProcessEntry;
import dev.caisson.library.Stats;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The library's calls that look at containers and change nothing. */
final class ContainerViews {
  private final KnownContainers known;
  private final ContainerPlaces places;

  ContainerViews(KnownContainers known, ContainerPlaces places) {
    this.known = known;
    this.places = places;
  }

  List<ContainerSummary> list() {
    return known.store().all().stream().map(this::summary).toList();
  }

  private ContainerSummary summary(ContainerRecord record) {
    var task = known.find(record.id());
    return new ContainerSummary(
        record.id(),
        record.name(),
        record.settings().image(),
        record.command(),
        record.created(),
        state(record, task),
        record.started(),
        record.exit(),
        record.settings().labels());
  }

  private static ContainerState state(ContainerRecord record, Optional<Task> task) {
    if (task.isPresent() && task.get().state() instanceof ExecState.Running) {
      return task.get().isPaused() ? ContainerState.PAUSED : ContainerState.RUNNING;
    }
    return record.exit().isPresent() || record.started().isPresent()
        ? ContainerState.EXITED
        : ContainerState.CREATED;
  }

  ContainerInfo inspect(String word) {
    var record = known.store().get(word);
    var task = known.alive(record.id());
    return new ContainerInfo(
        summary(record),
        record.imageId(),
        record.settings(),
        task.map(t -> t.pid(Optional.empty())).orElse(0),
        record.warnings(),
        record.runtime(),
        ContainerPlaces.cgroup(record.id()),
        places.bundle(record.id()).toString(),
        places.rootfs(record.id()).toString(),
        record.settings().log().kept()
            ? Optional.of(places.logFile(record.id()).toString())
            : Optional.empty(),
        task.map(ContainerViews::runningExecs).orElse(List.of()),
        Json.tree(record.spec()));
  }

  private static List<String> runningExecs(Task task) {
    return task.execs().entrySet().stream()
        .filter(entry -> entry.getValue() instanceof ExecState.Running)
        .map(entry -> entry.getKey().value())
        .toList();
  }

  Stats stats(String word) {
    var usage = known.task(word, "read statistics of").usage();
    return new Stats(
        usage.at(),
        usage.cpuNanos(),
        usage.cpuUserNanos(),
        usage.cpuSystemNanos(),
        usage.throttledPeriods(),
        usage.memoryBytes(),
        usage.memoryPeakBytes(),
        usage.memoryLimitBytes(),
        usage.swapBytes(),
        usage.outOfMemoryKills(),
        usage.pids(),
        usage.pidsLimit(),
        usage.readBytes(),
        usage.writtenBytes());
  }

  List<ProcessEntry> top(String word) {
    var task = known.task(word, "list processes of");
    var entries = new ArrayList<ProcessEntry>();
    for (int pid : task.processes()) {
      ProcessTable.entry(pid, task.execOf(pid).map(ExecId::value)).ifPresent(entries::add);
    }
    return entries;
  }

  Set<String> imagesInUse() {
    var ids = new HashSet<String>();
    known.store().all().forEach(record -> ids.add(record.imageId()));
    return ids;
  }

  /**
   * Chain ids of the layers that containers are mounted from.
   *
   * @throws CaissonException while a damaged container may need any of them
   */
  Set<String> layersInUse() {
    var ids = new HashSet<String>();
    for (var record : known.store().all()) {
      KnownContainers.checkWhole(record, "find the layers of container '" + record.name() + "'");
      ids.addAll(record.layers());
    }
    return ids;
  }

  long running() {
    return list().stream().filter(c -> c.state() == ContainerState.RUNNING).count();
  }
}
