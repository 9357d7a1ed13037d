package dev.caisson.engine.spec;

import dev.caisson.json.Name;
import dev.caisson.json.Unknown;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A process of a container: its first one, or one that is run in it later. Source: runtime
 * specification, config.md, Process.
 *
 * @param terminal whether it gets a terminal
 * @param consoleSize that terminal's first size
 * @param user who it runs as; root when empty
 * @param args the program and its arguments
 * @param env {@code NAME=value}
 * @param cwd working directory, absolute
 * @param capabilities what it may do
 * @param rlimits bounds by setrlimit(2)
 * @param noNewPrivileges whether set-uid programs and file capabilities give nothing
 * @param apparmorProfile AppArmor profile it runs under
 * @param oomScoreAdj -1000, spared when memory runs out, to 1000
 * @param scheduler how it gets processor time
 * @param selinuxLabel SELinux label it runs under
 * @param ioPriority how it gets disk time
 * @param execCpuAffinity processors a later process may run on
 * @param others everything else, unchanged
 */
@SuppressWarnings("JavaLangClash") // the specification's own word
public record Process(
    boolean terminal,
    Optional<ConsoleSize> consoleSize,
    Optional<User> user,
    List<String> args,
    List<String> env,
    String cwd,
    Optional<Capabilities> capabilities,
    List<Rlimit> rlimits,
    boolean noNewPrivileges,
    Optional<String> apparmorProfile,
    Optional<Integer> oomScoreAdj,
    Optional<Scheduler> scheduler,
    Optional<String> selinuxLabel,
    Optional<IoPriority> ioPriority,
    @Name("execCPUAffinity") Optional<CpuAffinity> execCpuAffinity,
    @Unknown Map<String, Object> others) {

  /** A program run by root without any rights. */
  public static Process of(String cwd, List<String> args) {
    return new Process(
        false,
        Optional.empty(),
        Optional.of(User.ROOT),
        args,
        List.of(),
        cwd,
        Optional.empty(),
        List.of(),
        false,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Map.of());
  }

  /** This without a first size of its terminal. */
  public Process withoutConsoleSize() {
    return new Process(
        terminal,
        Optional.empty(),
        user,
        args,
        env,
        cwd,
        capabilities,
        rlimits,
        noNewPrivileges,
        apparmorProfile,
        oomScoreAdj,
        scheduler,
        selinuxLabel,
        ioPriority,
        execCpuAffinity,
        others);
  }

  /** Copies what could change under it. */
  public Process {
    args = List.copyOf(args);
    env = List.copyOf(env);
    rlimits = List.copyOf(rlimits);
    others = Ordered.copy(others);
  }

  /** This with another {@code terminal}. */
  public Process withTerminal(boolean terminal) {
    return new Process(
        terminal,
        consoleSize,
        user,
        args,
        env,
        cwd,
        capabilities,
        rlimits,
        noNewPrivileges,
        apparmorProfile,
        oomScoreAdj,
        scheduler,
        selinuxLabel,
        ioPriority,
        execCpuAffinity,
        others);
  }

  /** This with another {@code consoleSize}. */
  public Process withConsoleSize(ConsoleSize consoleSize) {
    return new Process(
        terminal,
        Optional.of(consoleSize),
        user,
        args,
        env,
        cwd,
        capabilities,
        rlimits,
        noNewPrivileges,
        apparmorProfile,
        oomScoreAdj,
        scheduler,
        selinuxLabel,
        ioPriority,
        execCpuAffinity,
        others);
  }

  /** This with another {@code user}. */
  public Process withUser(User user) {
    return new Process(
        terminal,
        consoleSize,
        Optional.of(user),
        args,
        env,
        cwd,
        capabilities,
        rlimits,
        noNewPrivileges,
        apparmorProfile,
        oomScoreAdj,
        scheduler,
        selinuxLabel,
        ioPriority,
        execCpuAffinity,
        others);
  }

  /** This with another {@code args}. */
  public Process withArgs(List<String> args) {
    return new Process(
        terminal,
        consoleSize,
        user,
        args,
        env,
        cwd,
        capabilities,
        rlimits,
        noNewPrivileges,
        apparmorProfile,
        oomScoreAdj,
        scheduler,
        selinuxLabel,
        ioPriority,
        execCpuAffinity,
        others);
  }

  /** This with another {@code env}. */
  public Process withEnv(List<String> env) {
    return new Process(
        terminal,
        consoleSize,
        user,
        args,
        env,
        cwd,
        capabilities,
        rlimits,
        noNewPrivileges,
        apparmorProfile,
        oomScoreAdj,
        scheduler,
        selinuxLabel,
        ioPriority,
        execCpuAffinity,
        others);
  }

  /** This with another {@code cwd}. */
  public Process withCwd(String cwd) {
    return new Process(
        terminal,
        consoleSize,
        user,
        args,
        env,
        cwd,
        capabilities,
        rlimits,
        noNewPrivileges,
        apparmorProfile,
        oomScoreAdj,
        scheduler,
        selinuxLabel,
        ioPriority,
        execCpuAffinity,
        others);
  }

  /** This with another {@code capabilities}. */
  public Process withCapabilities(Capabilities capabilities) {
    return new Process(
        terminal,
        consoleSize,
        user,
        args,
        env,
        cwd,
        Optional.of(capabilities),
        rlimits,
        noNewPrivileges,
        apparmorProfile,
        oomScoreAdj,
        scheduler,
        selinuxLabel,
        ioPriority,
        execCpuAffinity,
        others);
  }

  /** This with another {@code rlimits}. */
  public Process withRlimits(List<Rlimit> rlimits) {
    return new Process(
        terminal,
        consoleSize,
        user,
        args,
        env,
        cwd,
        capabilities,
        rlimits,
        noNewPrivileges,
        apparmorProfile,
        oomScoreAdj,
        scheduler,
        selinuxLabel,
        ioPriority,
        execCpuAffinity,
        others);
  }

  /** This with another {@code noNewPrivileges}. */
  public Process withNoNewPrivileges(boolean noNewPrivileges) {
    return new Process(
        terminal,
        consoleSize,
        user,
        args,
        env,
        cwd,
        capabilities,
        rlimits,
        noNewPrivileges,
        apparmorProfile,
        oomScoreAdj,
        scheduler,
        selinuxLabel,
        ioPriority,
        execCpuAffinity,
        others);
  }

  /** This with another {@code oomScoreAdj}. */
  public Process withOomScoreAdj(int oomScoreAdj) {
    return new Process(
        terminal,
        consoleSize,
        user,
        args,
        env,
        cwd,
        capabilities,
        rlimits,
        noNewPrivileges,
        apparmorProfile,
        Optional.of(oomScoreAdj),
        scheduler,
        selinuxLabel,
        ioPriority,
        execCpuAffinity,
        others);
  }
}
