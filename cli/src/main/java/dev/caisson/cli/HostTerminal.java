package dev.caisson.cli;

import dev.caisson.library.TerminalSize;
import java.util.Optional;

/** The terminal on standard input and output. */
interface HostTerminal {
  /** Its size; empty when it does not know. */
  Optional<TerminalSize> size();

  /** Passes every key on as it is, until closed or the program ends. */
  RawMode makeRaw();

  /** A terminal passing keys on; closing it, also twice, puts it back. */
  interface RawMode extends AutoCloseable {
    @Override
    void close();
  }
}
