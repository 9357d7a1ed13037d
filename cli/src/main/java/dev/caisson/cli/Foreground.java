package dev.caisson.cli;

import dev.caisson.library.Attachment;
import dev.caisson.library.CaissonException;
import dev.caisson.library.Reason;
import dev.caisson.library.StreamCutException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/**
 * This program standing in for a process in a container: its streams, its signals, its exit code.
 *
 * <p>When nobody reads our output any more we end as a program does that SIGPIPE ends; the
 * container goes on, its output in its log, as with Docker.
 */
final class Foreground {
  /** Keys that leave end with this, as everything went well. */
  private static final int DETACHED = 0;

  private static final int GIVEN_UP = 130;
  private static final int BUFFER = 64 << 10;
  private static final int ATTEMPTS = 5;

  private final Session session;
  private final Attachment process;
  private final Mode mode;
  private final Again again;
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile Optional<Ending> ending = Optional.empty();

  /** For one whose streams outlive the daemon. */
  Foreground(Session session, Attachment process, Mode mode) {
    this(session, process, mode, _ -> Optional.empty());
  }

  Foreground(Session session, Attachment process, Mode mode, Again again) {
    this.session = session;
    this.process = process;
    this.mode = mode;
    this.again = again;
  }

  /** How to attach to standard output, or error, once more; empty when the process has ended. */
  interface Again {
    Optional<Attachment> attach(boolean stdout);
  }

  /**
   * How to stand in.
   *
   * @param stdin pass our input on
   * @param terminal the process has a terminal
   * @param proxySignals pass signals on, where there is no terminal to do it
   * @param detachKeys keys that leave
   */
  record Mode(boolean stdin, boolean terminal, boolean proxySignals, String detachKeys) {}

  /** Why it is over before the output ended. */
  private record Ending(int code, Optional<OutputLostException> lost) {}

  /**
   * Moves everything until the process has ended; returns its exit code.
   *
   * @param start starts the process, once all is connected
   */
  int run(Runnable start) {
    var keys = new DetachKeys(mode.detachKeys());
    var proxy = new SignalProxy(process, this::giveUp);
    boolean raw = mode.terminal() && mode.stdin() && session.machine().isTerminal(0);
    if (mode.proxySignals() && !raw) {
      proxy.install(session.machine().signals());
    }
    if (!raw) {
      return move(start, proxy, keys);
    }
    try (var _ = session.machine().terminal().makeRaw()) {
      return move(start, proxy, keys);
    }
  }

  private int move(Runnable start, SignalProxy proxy, DetachKeys keys) {
    var finished = new CountDownLatch(2);
    var out = session.out().raw();
    var err = session.err().raw();
    copier("stdout", process.stdout(), out, finished);
    copier("stderr", process.stderr(), err, finished);
    if (mode.stdin()) {
      daemon("stdin", () -> copyInput(keys));
    }
    start.run();
    proxy.started();
    if (mode.terminal()) {
      followSize();
    }
    daemon("end", () -> awaitOutput(finished));
    awaitQuietly(over);
    if (ending.isPresent()) {
      var early = ending.get();
      if (early.lost().isPresent()) {
        throw early.lost().get();
      }
      return early.code();
    }
    return process.await().code();
  }

  private void awaitOutput(CountDownLatch finished) {
    awaitQuietly(finished);
    over.countDown();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void copier(String name, InputStream from, OutputStream to, CountDownLatch finished) {
    daemon(
        name,
        () -> {
          try {
            copy(name, from, to);
          } finally {
            finished.countDown();
          }
        });
  }

  /** Goes on with what is written from now on, when the process is still there. */
  private void copyAgain(String name, OutputStream to) {
    boolean stdout = name.equals("stdout");
    try {
      for (int attempt = 1; ; attempt++) {
        try (var next = again.attach(stdout).orElse(null)) {
          if (next != null) {
            copy(name, stdout ? next.stdout() : next.stderr(), to);
          }
          return;
        } catch (CaissonException e) {
          // The next daemon may be gone by now too.
          if (e.reason() != Reason.UNAVAILABLE || attempt == ATTEMPTS) {
            throw e;
          }
        }
      }
    } catch (CaissonException e) {
      session.warn(String.valueOf(e.getMessage()));
    }
  }

  private void copy(String name, InputStream from, OutputStream to) {
    var buffer = new byte[BUFFER];
    for (; ; ) {
      int count;
      try {
        count = from.read(buffer);
      } catch (StreamCutException e) {
        switch (e.why()) {
          case READER_GONE ->
              end(new Ending(Command.FAILED, Optional.of(OutputLostException.ofReader())));
          case TOO_SLOW -> session.warn(String.valueOf(e.getMessage()));
          case DAEMON_REPLACED -> {
            session.warn(String.valueOf(e.getMessage()));
            copyAgain(name, to);
          }
        }
        return;
      } catch (IOException e) {
        // The daemon's end: how the process ends is asked for afterwards, and fails by itself.
        return;
      }
      if (count < 0) {
        return;
      }
      try {
        to.write(buffer, 0, count);
        to.flush();
      } catch (IOException e) {
        end(new Ending(Command.FAILED, Optional.of(new OutputLostException(e))));
        return;
      }
    }
  }

  private void copyInput(DetachKeys keys) {
    var buffer = new byte[BUFFER];
    var in = session.in();
    try (var to = process.stdin()) {
      for (int count; (count = in.read(buffer)) >= 0; ) {
        if (!mode.terminal()) {
          to.write(buffer, 0, count);
          to.flush();
          continue;
        }
        var typed = keys.typed(buffer, count);
        to.write(typed.bytes());
        to.flush();
        if (typed.detach()) {
          end(new Ending(DETACHED, Optional.empty()));
          return;
        }
      }
    } catch (IOException ended) {
      // The process no longer reads; what it still writes and how it ends is told elsewhere.
    }
  }

  private void followSize() {
    var terminal = session.machine().terminal();
    session.machine().signals().receive(List.of("WINCH"), name -> sendSize(terminal));
    sendSize(terminal);
  }

  private void sendSize(HostTerminal terminal) {
    var size = terminal.size();
    if (size.isPresent()) {
      try {
        process.resize(size.get());
      } catch (CaissonException ended) {
        // A process that has ended has no size any more.
      }
    }
  }

  private void giveUp() {
    end(new Ending(GIVEN_UP, Optional.empty()));
  }

  private void end(Ending how) {
    ending = Optional.of(how);
    over.countDown();
  }

  private static void daemon(String name, Runnable work) {
    var thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }
}
