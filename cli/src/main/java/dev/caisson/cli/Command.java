package dev.caisson.cli;

import java.util.List;

/** A command: its words, its options and its work. Made for one run. */
abstract class Command {
  /** Exit code of commands that did what was asked. */
  static final int OK = 0;

  /** Exit code of a command that failed. */
  static final int FAILED = 1;

  /** Exit code for a failure of ours where a program of the user's was to be run, and for usage. */
  static final int NOT_RUN = 125;

  private final String name;
  private final String synopsis;
  private final String summary;

  final Options options = new Options();
  private final GlobalOptions global = new GlobalOptions(options);

  /**
   * Describes a command.
   *
   * @param name all its words: {@code image prune}
   * @param synopsis its arguments, as the help shows them
   * @param summary a line for the list of commands
   */
  Command(String name, String synopsis, String summary) {
    this.name = name;
    this.synopsis = synopsis;
    this.summary = summary;
  }

  final String name() {
    return name;
  }

  final String synopsis() {
    return synopsis;
  }

  final String summary() {
    return summary;
  }

  final GlobalOptions global() {
    return global;
  }

  /** Whether what follows the first argument belongs to the program to run. */
  boolean optionsFirst() {
    return false;
  }

  /** Exit code for failures that are not the program's. */
  int failureCode() {
    return FAILED;
  }

  /** Least and greatest number of arguments. */
  abstract Arity arity();

  /** Does the work; returns the exit code. */
  abstract int run(Session session, List<String> arguments);

  /** How many arguments a command takes. */
  record Arity(int least, int most) {
    static final Arity NONE = new Arity(0, 0);
    static final Arity ONE = new Arity(1, 1);
    static final Arity SOME = new Arity(1, Integer.MAX_VALUE);
    static final Arity ANY = new Arity(0, Integer.MAX_VALUE);
  }

  final void checkArguments(List<String> arguments) {
    var arity = arity();
    int count = arguments.size();
    if (count < arity.least() || count > arity.most()) {
      String wanted;
      if (arity.most() == 0) {
        wanted = "takes no arguments";
      } else if (arity.least() == arity.most()) {
        wanted = "needs " + count(arity.least());
      } else if (count < arity.least()) {
        wanted = "needs at least " + count(arity.least());
      } else {
        wanted = "takes at most " + count(arity.most());
      }
      throw new UsageException(
          "'" + name + "' " + wanted + ", got " + count + ": " + name + " " + synopsis);
    }
  }

  private static String count(int n) {
    return n == 1 ? "1 argument" : n + " arguments";
  }
}
