package dev.caisson.engine.streams;

import dev.caisson.linux.DevNull;
import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Pipe;
import dev.caisson.linux.Terminal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one process. Made before the process; {@link #childEnds} go to it; {@link
 * #childStarted} when it has them. Calls may be made from any thread.
 */
public final class ProcessStreams implements AutoCloseable {
  private static final Duration TERMINAL_LIMIT = Duration.ofSeconds(10);
  private static final String PRIMARY_OUT = "#out";
  private static final String PRIMARY_ERROR = "#err";
  private static final String SENDERS = "#in";

  private final Pump pump;
  private final StreamPlan plan;
  private final DescriptorStore store;
  private final String name;
  private final Optional<KeptLog> log;
  private final List<Fd> childEnds = new ArrayList<>(); // guarded by this
  private final List<OutputFlow> flows = new ArrayList<>(); // guarded by this
  private final List<Fd> senders = new ArrayList<>(); // clients that send; guarded by this
  private Optional<ConsoleSocket> console = Optional.empty(); // guarded by this
  private Optional<Inlet> inlet = Optional.empty(); // guarded by this
  private Optional<Fd> terminal = Optional.empty(); // the master, for its size; guarded by this
  private Optional<Terminal.Size> size; // guarded by this
  private Optional<Pipe> terminalSpool = Optional.empty(); // guarded by this
  private final List<PendingClient> pending = new ArrayList<>(); // guarded by this
  private boolean closed; // guarded by this

  /** A client of a terminal that is not there yet. */
  private sealed interface PendingClient {
    void close();

    record OfOutput(Receiver receiver, boolean primary) implements PendingClient {
      @Override
      public void close() {
        receiver.close();
      }
    }

    record OfInput(Fd socket) implements PendingClient {
      @Override
      public void close() {
        socket.close();
      }
    }
  }

  private ProcessStreams(
      Pump pump, StreamPlan plan, DescriptorStore store, String name, Optional<KeptLog> log) {
    this.pump = pump;
    this.plan = plan;
    this.store = store;
    this.name = name;
    this.log = log;
    this.size = plan.size();
  }

  /**
   * Makes the streams of a process that is about to be made.
   *
   * @param name under which the store holds what must outlive this program
   * @param directory of the task, where the journal is kept; its parent's sibling {@code console}
   *     has the sockets
   */
  public static ProcessStreams create(
      Pump pump, StreamPlan plan, DescriptorStore store, String name, Path directory)
      throws IOException {
    var streams = new ProcessStreams(pump, plan, store, name, openLog(pump, plan, name, directory));
    try {
      if (plan.terminal()) {
        streams.prepareTerminal(directory);
      } else {
        streams.makePipes();
      }
      return streams;
    } catch (IOException e) {
      streams.close();
      throw e;
    }
  }

  private static Optional<KeptLog> openLog(Pump pump, StreamPlan plan, String name, Path directory)
      throws IOException {
    if (plan.log().isEmpty()) {
      return Optional.empty();
    }
    var last = name.substring(name.lastIndexOf('/') + 1);
    return Optional.of(
        KeptLog.open(
            plan.log().get(),
            directory.resolve(last.isEmpty() ? "journal" : "journal-" + last),
            pump.page()));
  }

  private synchronized void makePipes() throws IOException {
    var held = new ArrayList<Fd>();
    if (plan.stdin()) {
      var pipe = Pipe.open();
      Pipe.nonBlocking(pipe.writeEnd());
      childEnds.add(pipe.readEnd());
      inlet = Optional.of(new Inlet(pump, pipe.writeEnd(), Optional.empty(), this::inputEnded));
      held.add(pipe.writeEnd());
    } else {
      childEnds.add(DevNull.open());
    }
    for (var error : new boolean[] {false, true}) {
      var pipe = Pipe.open();
      var spool = Pipe.open();
      childEnds.add(pipe.writeEnd());
      held.addAll(List.of(pipe.readEnd(), spool.readEnd(), spool.writeEnd()));
      flows.add(flow(error, pipe.readEnd(), spool));
    }
    store.hold(name, held);
    flows.forEach(flow -> onPump(flow::begin));
  }

  private OutputFlow flow(boolean error, Fd source, Pipe spool) {
    return new OutputFlow(
        pump,
        error,
        plan.terminal(),
        source,
        spool,
        log,
        () -> keep(error ? PRIMARY_ERROR : PRIMARY_OUT, List.of()));
  }

  private synchronized void prepareTerminal(Path directory) throws IOException {
    console = Optional.of(ConsoleSocket.open(directory.resolve("../../console").normalize()));
    terminalSpool = Optional.of(Pipe.open());
    for (int i = 0; i < 3; i++) {
      childEnds.add(DevNull.open());
    }
  }

  /**
   * Takes over the streams of a process from a daemon that ended. What it had not given to the
   * store any more is at its end.
   *
   * @param held all that the store gave back, by name
   */
  public static ProcessStreams adopt(
      Pump pump,
      StreamPlan plan,
      Map<String, List<Fd>> held,
      DescriptorStore store,
      String name,
      Path directory)
      throws IOException {
    var streams = new ProcessStreams(pump, plan, store, name, openLog(pump, plan, name, directory));
    streams.adopt(held);
    return streams;
  }

  private synchronized void adopt(Map<String, List<Fd>> held) throws KernelException {
    var mine = held.get(name);
    if (mine == null) {
      return;
    }
    var rest = new ArrayList<>(mine);
    if (plan.terminal()) {
      var master = rest.removeFirst();
      flows.add(flow(false, master, spool(rest)));
      connectTerminal(master, spool(rest));
    } else {
      if (rest.size() % 3 == 1) {
        inlet =
            Optional.of(new Inlet(pump, rest.removeFirst(), Optional.empty(), this::inputEnded));
      }
      flows.add(flow(false, rest.removeFirst(), spool(rest)));
      flows.add(flow(true, rest.removeFirst(), spool(rest)));
    }
    adoptClient(held.get(name + PRIMARY_OUT), flows.getFirst());
    adoptClient(held.get(name + PRIMARY_ERROR), flows.getLast());
    inlet.ifPresent(in -> onPump(in::takeOver));
    for (var sender : held.getOrDefault(name + SENDERS, List.of())) {
      if (inlet.isPresent()) {
        connectInput(sender, inlet.get());
      } else {
        sender.close();
      }
    }
    flows.forEach(flow -> onPump(flow::takeOver));
  }

  private static Pipe spool(List<Fd> rest) {
    return new Pipe(rest.removeFirst(), rest.removeFirst());
  }

  private void adoptClient(@Nullable List<Fd> held, OutputFlow flow) {
    if (held != null) {
      var direct = held.size() > 1 ? Optional.of(held.getLast()) : Optional.<Fd>empty();
      var receiver = new Receiver(held.getFirst(), direct, _ -> {});
      onPump(() -> flow.attachPrimary(receiver));
    }
  }

  private synchronized void connectTerminal(Fd master, Pipe inputSpool) throws KernelException {
    terminal = Optional.of(master.duplicate());
    inlet =
        Optional.of(new Inlet(pump, master.duplicate(), Optional.of(inputSpool), this::inputEnded));
  }

  /**
   * What the process gets as descriptors 0, 1 and 2; for a terminal, what the runtime itself gets.
   */
  public synchronized List<Fd> childEnds() {
    return List.copyOf(childEnds);
  }

  /** Where the runtime has to deliver the terminal, for a process that has one. */
  public synchronized Optional<Path> consoleSocket() {
    return console.map(ConsoleSocket::path);
  }

  /** The process has its ends: ours are closed, and the terminal is taken from the runtime. */
  public synchronized void childStarted() throws IOException {
    childEnds.forEach(Fd::close);
    childEnds.clear();
    if (console.isEmpty()) {
      return;
    }
    try (var runtime = console.get()) {
      var master = runtime.master(TERMINAL_LIMIT);
      Pipe.nonBlocking(master);
      var spool = terminalSpool.orElseThrow();
      var inputSpool = Pipe.open();
      store.hold(
          name,
          List.of(
              master,
              spool.readEnd(),
              spool.writeEnd(),
              inputSpool.readEnd(),
              inputSpool.writeEnd()));
      connectTerminal(master, inputSpool);
      var flow = flow(false, master, spool);
      flows.add(flow);
      if (size.isPresent()) {
        Terminal.resize(master.number(), size.get());
      }
      for (var client : pending) {
        switch (client) {
          case PendingClient.OfOutput(var receiver, var primary) ->
              attach(receiver, false, primary);
          case PendingClient.OfInput(var socket) -> connectInput(socket, inlet.orElseThrow());
        }
      }
      pending.clear();
      onPump(flow::begin);
    } finally {
      console = Optional.empty();
    }
  }

  /**
   * Connects a client to an output stream; its connection is closed when the stream has ended and
   * all was sent.
   *
   * @param error standard error instead of standard output; of a terminal there is only the latter
   * @param primary never leave it behind; only before the start
   */
  public synchronized void attachOutput(Receiver receiver, boolean error, boolean primary)
      throws IOException {
    if (closed) {
      receiver.close();
      return;
    }
    if (primary) {
      store.hold(name + (error ? PRIMARY_ERROR : PRIMARY_OUT), receiver.held());
    }
    if (flows.isEmpty()) {
      pending.add(new PendingClient.OfOutput(receiver, primary));
    } else {
      attach(receiver, error, primary);
    }
  }

  private void attach(Receiver receiver, boolean error, boolean primary) {
    var flow = error ? flows.getLast() : flows.getFirst();
    onPump(() -> {
      if (primary && !flow.ended().isDone()) {
        flow.attachPrimary(receiver);
      } else {
        flow.attachFollower(receiver);
      }
    });
  }

  /**
   * Connects what a client sends to standard input or the terminal; what it sends before there is a
   * terminal waits. Its end, or its going away, ends a pipe, not a terminal.
   *
   * @return false when the process has no input or it was closed
   */
  public synchronized boolean attachInput(Fd socket) throws IOException {
    if (closed || console.isEmpty() && inlet.isEmpty()) {
      socket.close();
      return false;
    }
    var all = new ArrayList<>(senders);
    all.add(socket);
    store.hold(name + SENDERS, all);
    senders.add(socket);
    if (console.isPresent()) {
      pending.add(new PendingClient.OfInput(socket));
    } else {
      connectInput(socket, inlet.get());
    }
    return true;
  }

  private void connectInput(Fd socket, Inlet to) {
    onPump(() -> to.add(socket));
  }

  /** A client sends nothing more; from the pump's thread. */
  private synchronized void inputEnded(Fd socket) {
    if (!plan.terminal()) {
      closeInput();
      return;
    }
    senders.remove(socket);
    keep(SENDERS, senders);
  }

  /** Ends standard input; harmless when repeated and for terminals, whose input has no end. */
  public synchronized void closeInput() {
    if (plan.terminal() || inlet.isEmpty()) {
      return;
    }
    onPump(inlet.get()::close);
    inlet = Optional.empty();
    // The keeper's duplicate would keep the pipe open for ever.
    var held = new ArrayList<Fd>();
    flows.forEach(flow -> flow.addHeldTo(held));
    keep("", held);
    senders.clear();
    keep(SENDERS, List.of());
  }

  /** Lets the store hold other descriptors than before, or none. */
  private void keep(String suffix, List<Fd> descriptors) {
    try {
      if (descriptors.isEmpty()) {
        store.drop(name + suffix);
      } else {
        store.hold(name + suffix, descriptors);
      }
    } catch (IOException e) {
      System.getLogger(ProcessStreams.class.getName())
          .log(System.Logger.Level.WARNING, "streams of {0}: {1}", name, e.getMessage());
    }
  }

  /**
   * Tells the terminal's size. Remembered before the start, ignored when a field is 0 or the
   * process has ended.
   *
   * @return false for a process without terminal
   */
  public synchronized boolean resize(Terminal.Size to) {
    if (!plan.terminal()) {
      return false;
    }
    if (to.columns() == 0 || to.rows() == 0) {
      return true;
    }
    size = Optional.of(to);
    if (terminal.isPresent() && !closed) {
      try {
        Terminal.resize(terminal.get().number(), to);
      } catch (KernelException e) {
        // It ended meanwhile.
        return true;
      }
    }
    return true;
  }

  /**
   * After the process ended: waits until all its output was handed over, or until the time is up
   * because another process keeps it open or a client is slow; then what is there goes on in the
   * background.
   *
   * @return whether everything was handed over, up to the end of the streams
   */
  public boolean drain(Duration limit) {
    List<OutputFlow> all;
    synchronized (this) {
      childEnds.forEach(Fd::close);
      childEnds.clear();
      all = List.copyOf(flows);
    }
    var done =
        CompletableFuture.allOf(
            all.stream().map(OutputFlow::ended).toArray(CompletableFuture[]::new));
    try {
      done.get(limit.toNanos(), TimeUnit.NANOSECONDS);
      return all.stream().allMatch(flow -> flow.ended().join());
    } catch (TimeoutException e) {
      all.forEach(flow -> onPump(flow::finish));
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("a flow's end is never exceptional", e);
    }
  }

  /** Lines that could not be logged. */
  public long logFailures() {
    return log.map(KeptLog::failures).orElse(0L);
  }

  /** Gives everything up once what is there was handed over. Harmless when repeated. */
  @Override
  public void close() {
    List<OutputFlow> all;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      childEnds.forEach(Fd::close);
      childEnds.clear();
      console.ifPresent(ConsoleSocket::close);
      terminal.ifPresent(Fd::close);
      pending.forEach(PendingClient::close);
      all = List.copyOf(flows);
      if (all.isEmpty()) {
        terminalSpool.ifPresent(Pipe::close);
      }
    }
    inlet.ifPresent(in -> onPump(in::close));
    all.forEach(flow -> onPump(flow::giveUp));
    var _ =
        CompletableFuture.allOf(
                all.stream().map(OutputFlow::ended).toArray(CompletableFuture[]::new))
            .thenRun(this::release);
  }

  private void release() {
    log.ifPresent(KeptLog::close);
    for (var suffix : List.of("", PRIMARY_OUT, PRIMARY_ERROR, SENDERS)) {
      keep(suffix, List.of());
    }
  }

  /** Work for the pump's thread that may fail for this process alone. */
  private interface Work {
    void run() throws KernelException;
  }

  private void onPump(Work work) {
    pump.ask(() -> {
      try {
        work.run();
      } catch (KernelException e) {
        System.getLogger(ProcessStreams.class.getName())
            .log(System.Logger.Level.WARNING, "streams of {0}: {1}", name, e.getMessage());
      }
    });
  }
}
