package dev.caisson.cli;

import dev.caisson.json.Json;
import dev.caisson.library.ContainerInfo;
import dev.caisson.library.ContainerState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A container as {@code inspect} shows it: Docker's names where it has them, then our own. */
final class ContainerView {
  private static final String NEVER = "0001-01-01T00:00:00Z";

  private ContainerView() {}

  static Map<String, Object> tree(ContainerInfo info) {
    var summary = info.summary();
    var command = summary.command();
    var tree = new LinkedHashMap<String, Object>();
    tree.put("Id", summary.id());
    tree.put("Created", summary.created().toString());
    tree.put("Path", command.isEmpty() ? "" : command.getFirst());
    tree.put("Args", command.isEmpty() ? List.of() : command.subList(1, command.size()));
    tree.put("State", state(info));
    tree.put("Image", info.imageId());
    tree.put("ImageName", summary.image());
    tree.put("Name", summary.name());
    tree.put("LogPath", info.log().orElse(""));
    tree.put("ExecIDs", info.execs());
    tree.put("Config", config(info));
    tree.put("Warnings", info.warnings());
    tree.put("Runtime", info.runtime());
    tree.put("Cgroup", info.cgroup());
    tree.put("Bundle", info.bundle());
    tree.put("Rootfs", info.rootfs());
    tree.put("Settings", Json.tree(info.settings()));
    tree.put("Spec", info.spec());
    return tree;
  }

  private static Map<String, Object> state(ContainerInfo info) {
    var summary = info.summary();
    boolean paused = summary.state() == ContainerState.PAUSED;
    var state = new LinkedHashMap<String, Object>();
    state.put("Status", ContainerRow.word(summary.state()));
    state.put("Running", paused || summary.state() == ContainerState.RUNNING);
    state.put("Paused", paused);
    state.put("OOMKilled", summary.exit().isPresent() && summary.exit().get().outOfMemory());
    state.put("Pid", (long) info.pid());
    state.put("ExitCode", summary.exit().isPresent() ? (long) summary.exit().get().code() : 0L);
    state.put(
        "StartedAt", summary.started().isPresent() ? summary.started().get().toString() : NEVER);
    state.put(
        "FinishedAt", summary.exit().isPresent() ? summary.exit().get().at().toString() : NEVER);
    return state;
  }

  private static Map<String, Object> config(ContainerInfo info) {
    var settings = info.settings();
    var config = new LinkedHashMap<String, Object>();
    config.put("Hostname", settings.hostname().orElse(""));
    config.put("User", settings.process().user().orElse(""));
    config.put("Tty", settings.process().terminal());
    config.put("OpenStdin", settings.process().stdin());
    config.put("Env", settings.process().environment());
    config.put("Cmd", settings.process().command());
    config.put("Image", settings.image());
    config.put("WorkingDir", settings.process().workingDirectory().orElse(""));
    config.put("Labels", settings.labels());
    config.put("StopSignal", settings.stopSignal().orElse(""));
    return config;
  }
}
