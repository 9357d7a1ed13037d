package dev.caisson.cli;

import dev.caisson.library.Caisson;
import dev.caisson.library.TerminalSize;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A machine in memory, with a node that remembers. */
final class FakeMachine implements Machine {
  final FakeNode node = new FakeNode();
  final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  final ByteArrayOutputStream told = new ByteArrayOutputStream();
  final Map<String, String> variables = new HashMap<>();
  final Map<String, Signals.Receiver> receivers = new ConcurrentHashMap<>();
  final Set<Integer> terminals = new HashSet<>();
  Optional<String> root = Optional.empty();
  InputStream input = new ByteArrayInputStream(new byte[0]);
  boolean running = true;
  boolean connected;
  boolean raw;
  boolean restored;
  private Output out = new Output(printed);
  private final Output err = new Output(told);

  /** Runs a command line; returns the exit code. */
  int run(String... arguments) {
    return new Program(this).run(List.of(arguments));
  }

  void printTo(OutputStream target) {
    out = new Output(target);
  }

  String output() {
    return printed.toString(StandardCharsets.UTF_8);
  }

  String errors() {
    return told.toString(StandardCharsets.UTF_8);
  }

  @Override
  public Output out() {
    return out;
  }

  @Override
  public Output err() {
    return err;
  }

  @Override
  public InputStream in() {
    return input;
  }

  @Override
  public Caisson connect(Optional<String> wanted) {
    connected = true;
    root = wanted;
    return node;
  }

  @Override
  public boolean running(Optional<String> wanted) {
    return running;
  }

  @Override
  public Optional<String> variable(String name) {
    return Optional.ofNullable(variables.get(name));
  }

  @Override
  public boolean isTerminal(int descriptor) {
    return terminals.contains(descriptor);
  }

  @Override
  public HostTerminal terminal() {
    return new HostTerminal() {
      @Override
      public Optional<TerminalSize> size() {
        return Optional.of(new TerminalSize(97, 41));
      }

      @Override
      public RawMode makeRaw() {
        raw = true;
        return () -> restored = true;
      }
    };
  }

  @Override
  public Signals signals() {
    return (names, receiver) -> names.forEach(name -> receivers.put(name, receiver));
  }
}
