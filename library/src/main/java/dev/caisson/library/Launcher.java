package dev.caisson.library;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Starts the daemon of a state root and waits until it listens. */
final class Launcher {
  private static final long START_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long FIRST_PAUSE_MILLIS = 2;
  private static final long LONGEST_PAUSE_MILLIS = 50;
  private static final int LOG_END = 2000;

  private final Root root;

  Launcher(Root root) {
    this.root = root;
  }

  /** Starts the daemon and answers with the first connection to it. */
  Connection start(List<String> options) {
    var command = new ArrayList<>(command());
    command.add("--root");
    command.add(root.state().toString());
    command.add("--run-dir");
    command.add(root.run().toString());
    command.addAll(options);
    return await(command);
  }

  private Process launch(List<String> command) {
    makeRoot();
    try {
      return new ProcessBuilder(command)
          .directory(new File("/"))
          .redirectInput(new File("/dev/null"))
          .redirectOutput(ProcessBuilder.Redirect.appendTo(root.daemonLog().toFile()))
          .redirectErrorStream(true)
          .start();
    } catch (IOException e) {
      throw failure("run '" + command.getFirst() + "': " + e.getMessage());
    }
  }

  /** The daemon's log is in it, so it must be there, and writable, before there is a daemon. */
  private void makeRoot() {
    try {
      Files.createDirectories(root.state());
      try (var _ =
          Files.newByteChannel(
              root.daemonLog(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
        return;
      }
    } catch (IOException e) {
      throw new CaissonException(
          e instanceof AccessDeniedException ? Reason.DENIED : Reason.UNAVAILABLE,
          "start the daemon of " + root.state(),
          "the directory cannot be made or written: " + words(e),
          "name another one with --root or CAISSON_ROOT, or run as root",
          e);
    }
  }

  private static String words(IOException failure) {
    return switch (failure) {
      case FileAlreadyExistsException e -> "'" + e.getFile() + "' is a file";
      case AccessDeniedException e -> "'" + e.getFile() + "': permission denied";
      case NoSuchFileException e -> "'" + e.getFile() + "': there is no such place";
      case FileSystemException e when e.getReason() != null ->
          "'" + e.getFile() + "': " + e.getReason();
      default -> String.valueOf(failure.getMessage());
    };
  }

  private Connection await(List<String> command) {
    var deadline = System.nanoTime() + START_LIMIT_NANOS;
    var process = launch(command);
    var pause = FIRST_PAUSE_MILLIS;
    for (; ; ) {
      // Read before connecting: a daemon that lost the race for the root ends, but the winner
      // listens.
      var alive = process.isAlive();
      try {
        return Connection.open(root.socket());
      } catch (IOException e) {
        if (!alive && process.exitValue() != 0) {
          throw failure("it ended with " + process.exitValue() + logEnd());
        }
        if (!alive && pause == LONGEST_PAUSE_MILLIS) {
          // It lost the race against one that was about to end.
          process = launch(command);
        }
        if (System.nanoTime() > deadline) {
          throw failure("it did not listen on " + root.socket() + " within 30 s" + logEnd());
        }
      }
      try {
        Thread.sleep(pause);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw failure("interrupted while waiting for it");
      }
      pause = Math.min(pause * 2, LONGEST_PAUSE_MILLIS);
    }
  }

  private CaissonException failure(String found) {
    return new CaissonException(
        Reason.UNAVAILABLE,
        "start the daemon of " + root.state(),
        found,
        "see " + root.daemonLog() + " and 'caisson system check'");
  }

  /**
   * The program that starts the daemon: below the installation named by the property {@code
   * caisson.home} or the variable CAISSON_HOME, else on PATH.
   */
  private static List<String> command() {
    for (var home :
        new String[] {System.getProperty("caisson.home"), System.getenv("CAISSON_HOME")}) {
      if (home != null && !home.isEmpty()) {
        return List.of(Path.of(home, "bin", "caissond").toString());
      }
    }
    return List.of("caissond");
  }

  private String logEnd() {
    try {
      var bytes = Files.readAllBytes(root.daemonLog());
      var from = Math.max(0, bytes.length - LOG_END);
      return "; its log ends with: "
          + new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      return "; it wrote no log";
    }
  }
}
