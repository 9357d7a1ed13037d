package dev.caisson.library;

import java.util.List;
import java.util.Optional;

/**
 * A further process of a container.
 *
 * @param command program and arguments
 * @param environment {@code NAME=value} added to the container's
 * @param workingDirectory empty for the container's
 * @param user as {@link ProcessSettings#user}; empty for the container's
 * @param terminal give it a terminal of its own
 * @param stdin connect its standard input
 * @param terminalSize size at the start
 * @param privileged all capabilities
 */
public record ExecSettings(
    List<String> command,
    List<String> environment,
    Optional<String> workingDirectory,
    Optional<String> user,
    boolean terminal,
    boolean stdin,
    Optional<TerminalSize> terminalSize,
    boolean privileged) {

  /** Copies what could change under it. */
  public ExecSettings {
    command = List.copyOf(command);
    environment = List.copyOf(environment);
  }

  /** The usual exec of {@code command}. */
  public static ExecSettings of(String... command) {
    return new ExecSettings(
        List.of(command),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        false,
        false,
        Optional.empty(),
        false);
  }

  /** This with another {@code command}. */
  public ExecSettings withCommand(List<String> command) {
    return new ExecSettings(
        command, environment, workingDirectory, user, terminal, stdin, terminalSize, privileged);
  }

  /** This with another {@code environment}. */
  public ExecSettings withEnvironment(List<String> environment) {
    return new ExecSettings(
        command, environment, workingDirectory, user, terminal, stdin, terminalSize, privileged);
  }

  /** This with another {@code workingDirectory}. */
  public ExecSettings withWorkingDirectory(String workingDirectory) {
    return new ExecSettings(
        command,
        environment,
        Optional.of(workingDirectory),
        user,
        terminal,
        stdin,
        terminalSize,
        privileged);
  }

  /** This with another {@code user}. */
  public ExecSettings withUser(String user) {
    return new ExecSettings(
        command,
        environment,
        workingDirectory,
        Optional.of(user),
        terminal,
        stdin,
        terminalSize,
        privileged);
  }

  /** This with another {@code terminal}. */
  public ExecSettings withTerminal(boolean terminal) {
    return new ExecSettings(
        command, environment, workingDirectory, user, terminal, stdin, terminalSize, privileged);
  }

  /** This with another {@code stdin}. */
  public ExecSettings withStdin(boolean stdin) {
    return new ExecSettings(
        command, environment, workingDirectory, user, terminal, stdin, terminalSize, privileged);
  }

  /** This with another {@code terminalSize}. */
  public ExecSettings withTerminalSize(TerminalSize terminalSize) {
    return new ExecSettings(
        command,
        environment,
        workingDirectory,
        user,
        terminal,
        stdin,
        Optional.of(terminalSize),
        privileged);
  }

  /** This with another {@code privileged}. */
  public ExecSettings withPrivileged(boolean privileged) {
    return new ExecSettings(
        command, environment, workingDirectory, user, terminal, stdin, terminalSize, privileged);
  }
}
