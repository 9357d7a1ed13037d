package dev.caisson.cli;

import java.util.List;

/** Start of the program. */
public final class Main {
  private Main() {}

  /** Runs one command and ends the program with its exit code. */
  public static void main(String[] args) {
    System.exit(new Program(new ThisMachine()).run(List.of(args)));
  }
}
