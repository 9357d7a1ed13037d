package dev.caisson.cli;

/** Options of every command, also accepted in front of it. */
final class GlobalOptions {
  final Option.Text root;
  final Option.Flag debug;
  final Option.Flag help;

  GlobalOptions(Options options) {
    root = options.text("root", "DIR", "State root of the node (also: CAISSON_ROOT)");
    debug = options.flag("debug", "Show where in the program a failure came from");
    help = options.flag("help", "Show this help");
  }
}
