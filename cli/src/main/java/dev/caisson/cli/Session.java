package dev.caisson.cli;

import dev.caisson.library.Caisson;
import java.io.InputStream;
import java.util.Optional;

/** What a command works with: the streams of the program and the node. */
final class Session implements AutoCloseable {
  private final Machine machine;
  private Optional<Caisson> node = Optional.empty();
  private Optional<String> root = Optional.empty();
  private boolean debug;

  Session(Machine machine) {
    this.machine = machine;
  }

  /** Takes over what the command line says for every command. */
  void apply(GlobalOptions options) {
    if (options.root.value().isPresent()) {
      root = options.root.value();
    }
    debug |= options.debug.on();
  }

  boolean debug() {
    return debug;
  }

  /** Where results go. */
  Output out() {
    return machine.out();
  }

  /** Where failures, warnings and progress go. */
  Output err() {
    return machine.err();
  }

  InputStream in() {
    return machine.in();
  }

  /** The world around the program. */
  Machine machine() {
    return machine;
  }

  /** The node; connected to, and its daemon started, at the first call. */
  Caisson node() {
    if (node.isEmpty()) {
      node = Optional.of(machine.connect(root));
    }
    return node.get();
  }

  /** The node, if its daemon listens. */
  Optional<Caisson> nodeIfRunning() {
    return machine.running(root) ? Optional.of(node()) : Optional.empty();
  }

  /** Prints a warning. */
  void warn(String text) {
    err().line("caisson: warning: " + SafeText.of(text)).flush();
  }

  @Override
  public void close() {
    if (node.isPresent()) {
      node.get().close();
    }
  }
}
