package dev.caisson.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code caisson version}. */
final class VersionCommand extends Command {
  private static final String UNPACKED = "unreleased";

  private final Option.Text format =
      options.text('f', "format", "FORMAT", "json, or fields: '{{.Client.Version}}'");

  VersionCommand() {
    super("version", "[OPTIONS]", "Print the versions of client and daemon");
  }

  @Override
  Arity arity() {
    return Arity.NONE;
  }

  @Override
  int run(Session session, List<String> arguments) {
    var node = session.nodeIfRunning();
    var server = node.isPresent() ? node.get().daemonVersion() : "";
    if (format.value().isPresent()) {
      var tree = new LinkedHashMap<String, Object>();
      tree.put("Client", Map.of("Version", own()));
      tree.put("Server", Map.of("Version", server));
      new Listing(List.of(), format.value()).print(session.out(), List.of(new MapRow(tree)));
      return OK;
    }
    session.out().line("Client:  " + own());
    session.out().line("Daemon:  " + (server.isEmpty() ? "not running" : SafeText.of(server)));
    return OK;
  }

  /** The version of this program, from its jar. */
  static String own() {
    var version = VersionCommand.class.getPackage().getImplementationVersion();
    return version == null ? UNPACKED : version;
  }
}
