package dev.caisson.cli;

import dev.caisson.library.Caisson;
import java.io.InputStream;
import java.util.Optional;

/** What is around the program: its streams, terminal, signals, variables, and the daemon. */
interface Machine {
  Output out();

  Output err();

  InputStream in();

  /** Connects to the node of a state root, or the usual one. */
  Caisson connect(Optional<String> root);

  /** Whether the daemon of that root listens. */
  boolean running(Optional<String> root);

  /** A variable of the environment. */
  Optional<String> variable(String name);

  /** Whether descriptor 0, 1 or 2 is a terminal. */
  boolean isTerminal(int descriptor);

  /** The terminal the program was started from. */
  HostTerminal terminal();

  /** The signals sent to the program. */
  Signals signals();
}
