package dev.caisson.cli;

import dev.caisson.library.Caisson;
import dev.caisson.library.Root;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The real world. */
final class ThisMachine implements Machine {
  private final Output out = Output.standard();
  private final Output err = Output.errors();

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
    return new FileInputStream(FileDescriptor.in);
  }

  @Override
  public Caisson connect(Optional<String> root) {
    return Caisson.connect(root(root));
  }

  @Override
  public boolean running(Optional<String> root) {
    try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      return channel.connect(UnixDomainSocketAddress.of(root(root).socket()));
    } catch (IOException nobodyListens) {
      return false;
    }
  }

  private static Root root(Optional<String> root) {
    try {
      return root.isPresent() ? Root.at(Path.of(root.get())) : Root.usual();
    } catch (IllegalArgumentException e) {
      throw new UsageException("option --root: " + e.getMessage());
    }
  }

  @Override
  public Optional<String> variable(String name) {
    return Optional.ofNullable(System.getenv(name));
  }

  /** By the name of what is open, which costs a command less than its first native call. */
  @Override
  public boolean isTerminal(int descriptor) {
    try {
      var target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return target.startsWith("/dev/pts/")
          || target.startsWith("/dev/tty")
          || target.startsWith("/dev/console")
          || target.startsWith("/dev/hvc");
    } catch (IOException closed) {
      return false;
    }
  }

  @Override
  public HostTerminal terminal() {
    return new LinuxTerminal();
  }

  @Override
  public Signals signals() {
    return new JvmSignals();
  }
}
