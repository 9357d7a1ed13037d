package dev.caisson.cli;

import dev.caisson.library.CaissonException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;

/** Finds the command that is meant, lets it work, and tells what went wrong. */
final class Program {
  /** As a program has it that SIGPIPE ended. */
  private static final int READER_GONE = 128 + 13;

  private final Machine machine;

  Program(Machine machine) {
    this.machine = machine;
  }

  /** Runs a command line; returns the exit code. */
  int run(List<String> arguments) {
    var session = new Session(machine);
    try {
      int code = dispatch(session, arguments);
      session.out().flush();
      session.err().flush();
      return code;
    } catch (UsageException e) {
      return fail(
          session,
          Command.NOT_RUN,
          e,
          String.valueOf(e.getMessage()),
          Optional.of("see 'caisson --help'"));
    } catch (OutputLostException e) {
      return lost(session, e);
    } finally {
      close(session);
    }
  }

  private static void close(Session session) {
    try {
      session.close();
    } catch (CaissonException e) {
      // The work is done and its outcome told.
    }
  }

  private int dispatch(Session session, List<String> arguments) {
    var front = new Options();
    var global = new GlobalOptions(front);
    var version = front.flag('v', "version", "Print the version");
    var words = front.read(arguments, true);
    session.apply(global);
    if (version.on()) {
      session.out().line("caisson version " + VersionCommand.own());
      return Command.OK;
    }
    if (words.isEmpty()) {
      Help.printAll(session.out());
      return Command.OK;
    }
    var found = Commands.find(words);
    if (found.isEmpty()) {
      return group(session, words, global);
    }
    var command = found.get().command();
    return run(
        session, command, words.subList(found.get().words(), words.size()), global.help.on());
  }

  private static int group(Session session, List<String> words, GlobalOptions global) {
    var group = words.getFirst();
    if (!Commands.isGroup(group)) {
      throw new UsageException("unknown command '" + group + "'");
    }
    boolean alone = words.size() == 1;
    if (!alone && !words.get(1).equals("--help") && !words.get(1).equals("-h")) {
      throw new UsageException("unknown command '" + group + " " + words.get(1) + "'");
    }
    Help.printGroup(session.out(), group);
    return alone && !global.help.on() ? Command.FAILED : Command.OK;
  }

  private int run(Session session, Command command, List<String> words, boolean help) {
    try {
      var arguments = command.options.read(words, command.optionsFirst());
      session.apply(command.global());
      if (help || command.global().help.on()) {
        Help.print(session.out(), command);
        return Command.OK;
      }
      command.checkArguments(arguments);
      return command.run(session, arguments);
    } catch (UsageException e) {
      return fail(
          session,
          Command.NOT_RUN,
          e,
          String.valueOf(e.getMessage()),
          Optional.of("see 'caisson " + command.name() + " --help'"));
    } catch (CaissonException e) {
      return fail(session, code(command, e), e, sentence(e), advice(e));
    } catch (OutputLostException e) {
      return lost(session, e);
    } catch (RuntimeException e) {
      var text = e.getClass().getSimpleName() + ": " + e.getMessage();
      return fail(
          session,
          command.failureCode(),
          e,
          "a defect of caisson: " + text,
          Optional.of("run it again with --debug and report what it says"));
    }
  }

  private static int lost(Session session, OutputLostException e) {
    return e.readerGone()
        ? READER_GONE
        : fail(session, Command.FAILED, e, "write the output: " + e.getMessage(), Optional.empty());
  }

  private static int code(Command command, CaissonException e) {
    if (command.failureCode() == Command.FAILED) {
      return Command.FAILED;
    }
    return switch (e.reason()) {
      case PROGRAM_NOT_FOUND -> 127;
      case PROGRAM_NOT_EXECUTABLE -> 126;
      case NOT_FOUND,
          ALREADY_EXISTS,
          INVALID,
          WRONG_STATE,
          UNAVAILABLE,
          DENIED,
          TIMEOUT,
          INTERNAL ->
          command.failureCode();
    };
  }

  private static Optional<String> advice(CaissonException e) {
    return e.advice().isEmpty() ? Optional.empty() : Optional.of(e.advice());
  }

  /** What was tried and what was found. */
  static String sentence(CaissonException e) {
    return e.tried().isEmpty() ? e.found() : e.tried() + ": " + e.found();
  }

  /** Prints a failure of one of several things a command was asked for. */
  static void report(Session session, CaissonException e) {
    fail(session, 0, e, sentence(e), advice(e));
  }

  private static int fail(
      Session session, int code, Throwable failure, String text, Optional<String> advice) {
    try {
      session.out().flush();
    } catch (OutputLostException nobodyReads) {
      // What went wrong is still to be told on the other stream.
    }
    try {
      session.err().line("caisson: " + SafeText.of(text));
      if (advice.isPresent()) {
        session.err().line("  " + SafeText.of(advice.get()));
      }
      if (session.debug()) {
        var trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        for (var line : trace.toString().split("\n")) {
          session.err().line("  " + SafeText.of(line.replace("\t", "  ")));
        }
      }
      session.err().flush();
    } catch (OutputLostException nobodyReads) {
      // Nobody is left to tell it to.
    }
    return code;
  }
}
