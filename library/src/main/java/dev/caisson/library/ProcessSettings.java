package dev.caisson.library;

import java.util.List;
import java.util.Optional;

/**
 * A container's first process.
 *
 * @param command replaces the image's Cmd; empty keeps it (unless {@code entrypoint} is given)
 * @param entrypoint replaces the image's Entrypoint and clears its Cmd; an empty list in it clears
 *     both
 * @param environment {@code NAME=value} added to and overriding the image's; a bare {@code NAME}
 *     removes it
 * @param workingDirectory absolute path in the container; empty for the image's
 * @param user {@code name|uid[:group|gid]} by the image's files; empty for the image's
 * @param groups additional groups by name or number
 * @param strictGroups whether it gets these and its primary group only; otherwise also those that
 *     the image's /etc/group gives its user
 * @param terminal give it a terminal (stdout and stderr become one stream)
 * @param stdin keep its standard input open for attached callers; otherwise it reads from /dev/null
 * @param terminalSize size of the terminal at the start
 * @param rlimits resource limits by setrlimit(2) name without {@code RLIMIT_}, lower case: {@code
 *     nofile}
 * @param oomScoreAdjust -1000 to 1000; empty leaves the daemon's
 */
public record ProcessSettings(
    List<String> command,
    Optional<List<String>> entrypoint,
    List<String> environment,
    Optional<String> workingDirectory,
    Optional<String> user,
    List<String> groups,
    boolean strictGroups,
    boolean terminal,
    boolean stdin,
    Optional<TerminalSize> terminalSize,
    List<Rlimit> rlimits,
    Optional<Integer> oomScoreAdjust) {

  /** Copies what could change under it. */
  public ProcessSettings {
    command = List.copyOf(command);
    environment = List.copyOf(environment);
    groups = List.copyOf(groups);
    rlimits = List.copyOf(rlimits);
  }

  /** A resource limit; {@code -1} is unlimited. */
  public record Rlimit(String name, long soft, long hard) {}

  /** The usual process of {@code command}. */
  public static ProcessSettings of(String... command) {
    return new ProcessSettings(
        List.of(command),
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        List.of(),
        false,
        false,
        false,
        Optional.empty(),
        List.of(),
        Optional.empty());
  }

  /** This with another {@code command}. */
  public ProcessSettings withCommand(List<String> command) {
    return new ProcessSettings(
        command,
        entrypoint,
        environment,
        workingDirectory,
        user,
        groups,
        strictGroups,
        terminal,
        stdin,
        terminalSize,
        rlimits,
        oomScoreAdjust);
  }

  /** This with another {@code entrypoint}. */
  public ProcessSettings withEntrypoint(List<String> entrypoint) {
    return new ProcessSettings(
        command,
        Optional.of(entrypoint),
        environment,
        workingDirectory,
        user,
        groups,
        strictGroups,
        terminal,
        stdin,
        terminalSize,
        rlimits,
        oomScoreAdjust);
  }

  /** This with another {@code environment}. */
  public ProcessSettings withEnvironment(List<String> environment) {
    return new ProcessSettings(
        command,
        entrypoint,
        environment,
        workingDirectory,
        user,
        groups,
        strictGroups,
        terminal,
        stdin,
        terminalSize,
        rlimits,
        oomScoreAdjust);
  }

  /** This with another {@code workingDirectory}. */
  public ProcessSettings withWorkingDirectory(String workingDirectory) {
    return new ProcessSettings(
        command,
        entrypoint,
        environment,
        Optional.of(workingDirectory),
        user,
        groups,
        strictGroups,
        terminal,
        stdin,
        terminalSize,
        rlimits,
        oomScoreAdjust);
  }

  /** This with another {@code user}. */
  public ProcessSettings withUser(String user) {
    return new ProcessSettings(
        command,
        entrypoint,
        environment,
        workingDirectory,
        Optional.of(user),
        groups,
        strictGroups,
        terminal,
        stdin,
        terminalSize,
        rlimits,
        oomScoreAdjust);
  }

  /** This with another {@code groups}. */
  public ProcessSettings withGroups(List<String> groups) {
    return new ProcessSettings(
        command,
        entrypoint,
        environment,
        workingDirectory,
        user,
        groups,
        strictGroups,
        terminal,
        stdin,
        terminalSize,
        rlimits,
        oomScoreAdjust);
  }

  /** This with another {@code strictGroups}. */
  public ProcessSettings withStrictGroups(boolean strictGroups) {
    return new ProcessSettings(
        command,
        entrypoint,
        environment,
        workingDirectory,
        user,
        groups,
        strictGroups,
        terminal,
        stdin,
        terminalSize,
        rlimits,
        oomScoreAdjust);
  }

  /** This with another {@code terminal}. */
  public ProcessSettings withTerminal(boolean terminal) {
    return new ProcessSettings(
        command,
        entrypoint,
        environment,
        workingDirectory,
        user,
        groups,
        strictGroups,
        terminal,
        stdin,
        terminalSize,
        rlimits,
        oomScoreAdjust);
  }

  /** This with another {@code stdin}. */
  public ProcessSettings withStdin(boolean stdin) {
    return new ProcessSettings(
        command,
        entrypoint,
        environment,
        workingDirectory,
        user,
        groups,
        strictGroups,
        terminal,
        stdin,
        terminalSize,
        rlimits,
        oomScoreAdjust);
  }

  /** This with another {@code terminalSize}. */
  public ProcessSettings withTerminalSize(TerminalSize terminalSize) {
    return new ProcessSettings(
        command,
        entrypoint,
        environment,
        workingDirectory,
        user,
        groups,
        strictGroups,
        terminal,
        stdin,
        Optional.of(terminalSize),
        rlimits,
        oomScoreAdjust);
  }

  /** This with another {@code rlimits}. */
  public ProcessSettings withRlimits(List<Rlimit> rlimits) {
    return new ProcessSettings(
        command,
        entrypoint,
        environment,
        workingDirectory,
        user,
        groups,
        strictGroups,
        terminal,
        stdin,
        terminalSize,
        rlimits,
        oomScoreAdjust);
  }

  /** This with another {@code oomScoreAdjust}. */
  public ProcessSettings withOomScoreAdjust(int oomScoreAdjust) {
    return new ProcessSettings(
        command,
        entrypoint,
        environment,
        workingDirectory,
        user,
        groups,
        strictGroups,
        terminal,
        stdin,
        terminalSize,
        rlimits,
        Optional.of(oomScoreAdjust));
  }
}
