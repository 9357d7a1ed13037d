package dev.caisson.cli;

import dev.caisson.json.Json;
import java.util.List;

/** {@code caisson system info}. */
final class InfoCommand extends Command {
  private static final int LABEL_WIDTH = 16;

  private final Option.Text format =
      options.text('f', "format", "FORMAT", "json, or fields: '{{.kernel}}'");

  InfoCommand() {
    super("system info", "[OPTIONS]", "Describe this machine and node");
  }

  @Override
  Arity arity() {
    return Arity.NONE;
  }

  @Override
  int run(Session session, List<String> arguments) {
    var info = session.node().info();
    if (format.value().isPresent()) {
      var row = new MapRow(Json.tree(info));
      new Listing(row.names(), format.value()).print(session.out(), List.of(row));
      return OK;
    }
    var out = session.out();
    line(out, "Version", info.version());
    line(out, "Containers", info.containers() + " (" + info.running() + " running)");
    line(out, "Images", Integer.toString(info.images()));
    line(out, "State root", info.stateRoot());
    line(out, "Run directory", info.runRoot());
    line(out, "Kernel", info.kernel());
    line(out, "Architecture", info.architecture());
    line(out, "Processors", Integer.toString(info.cpus()));
    line(out, "Memory", Sizes.binary(info.memoryBytes()));
    line(out, "Cgroups", info.cgroups());
    line(out, "Runtime", info.runtime());
    for (var runtime : info.runtimes()) {
      line(out, "Runtime found", runtime);
    }
    line(out, "Daemon", "pid " + info.daemonPid());
    line(out, "Keeper", info.keeperPid() == 0 ? "lost" : "pid " + info.keeperPid());
    for (var note : info.notes()) {
      line(out, "Note", note);
    }
    return OK;
  }

  private static void line(Output out, String label, String value) {
    out.line(label + ":" + " ".repeat(LABEL_WIDTH - label.length()) + SafeText.of(value));
  }
}
