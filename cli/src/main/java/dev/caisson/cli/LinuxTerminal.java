package dev.caisson.cli;

import dev.caisson.library.CaissonException;
import dev.caisson.library.Reason;
import dev.caisson.library.TerminalSize;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Terminal;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** The terminal by native calls; loaded only by commands that need one. */
final class LinuxTerminal implements HostTerminal {
  private static final int IN = 0;
  private static final int OUT = 1;

  @Override
  public Optional<TerminalSize> size() {
    try {
      var size = Terminal.size(OUT);
      return Optional.of(new TerminalSize(size.columns(), size.rows()));
    } catch (KernelException notOne) {
      return Optional.empty();
    }
  }

  @Override
  public RawMode makeRaw() {
    try {
      return new Raw(Terminal.makeRaw(IN));
    } catch (KernelException e) {
      throw new CaissonException(
          Reason.INTERNAL, "pass keys on from the terminal", String.valueOf(e.getMessage()), "", e);
    }
  }

  private static final class Raw implements RawMode {
    private final Terminal.Modes before;
    private final AtomicBoolean restored = new AtomicBoolean();

    Raw(Terminal.Modes before) {
      this.before = before;
      // Also when a signal or an unexpected failure ends the program.
      Runtime.getRuntime().addShutdownHook(new Thread(this::close, "terminal"));
    }

    @Override
    public void close() {
      if (restored.getAndSet(true)) {
        return;
      }
      try {
        Terminal.restore(IN, before);
      } catch (KernelException gone) {
        // A terminal that was closed has no modes to restore.
      }
    }
  }
}
