package dev.caisson.system.images;

import dev.caisson.system.Ran;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Debian's docker-registry on a free port of loopback, with a directory of its own. */
final class LocalRegistry implements AutoCloseable {
  static final String USER = "tester";
  static final String PASSWORD = "not-a-secret";

  private static final int TRIES = 5;
  private static final long LIMIT_NANOS = 20_000_000_000L;

  private final Path directory;
  private final int port;
  private final Process process;

  private LocalRegistry(Path directory, int port, Process process) {
    this.directory = directory;
    this.port = port;
    this.process = process;
  }

  /** Whoever asks may pull and push. */
  static LocalRegistry open() throws IOException, InterruptedException {
    return start("");
  }

  /** Only {@link #USER} may. */
  static LocalRegistry withLogin() throws IOException, InterruptedException {
    var hashed =
        Ran.of(Map.of("PATH", System.getenv("PATH")), List.of("htpasswd", "-Bbn", USER, PASSWORD));
    return start(hashed.out().strip());
  }

  private static LocalRegistry start(String login) throws IOException, InterruptedException {
    for (int i = 1; ; i++) {
      var registry = launch(login);
      if (registry.listens()) {
        return registry;
      }
      // Somebody else may have taken the port in the meantime.
      registry.close();
      if (i == TRIES) {
        throw new IllegalStateException("docker-registry does not start; is it installed?");
      }
    }
  }

  private static LocalRegistry launch(String login) throws IOException {
    var directory = Files.createTempDirectory("registry");
    int port = freePort();
    var auth = "";
    if (!login.isEmpty()) {
      Files.writeString(directory.resolve("htpasswd"), login + "\n");
      auth = "auth: {htpasswd: {realm: test, path: " + directory.resolve("htpasswd") + "}}\n";
    }
    Files.writeString(
        directory.resolve("config.yml"),
        """
        version: 0.1
        storage: {filesystem: {rootdirectory: %s}}
        http: {addr: "127.0.0.1:%d"}
        log: {level: error, accesslog: {disabled: true}}
        %s\
        """
            .formatted(directory.resolve("data"), port, auth));
    var process =
        new ProcessBuilder("docker-registry", "serve", directory.resolve("config.yml").toString())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile())
            .start();
    return new LocalRegistry(directory, port, process);
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      return socket.getLocalPort();
    }
  }

  private boolean listens() {
    long deadline = System.nanoTime() + LIMIT_NANOS;
    while (process.isAlive() && System.nanoTime() < deadline) {
      try (var socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port));
        return true;
      } catch (IOException e) {
        Thread.onSpinWait();
      }
    }
    return false;
  }

  int port() {
    return port;
  }

  /** Host and port, as in names of images. */
  String host() {
    return "127.0.0.1:" + port;
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly().onExit().join();
    try (var files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
