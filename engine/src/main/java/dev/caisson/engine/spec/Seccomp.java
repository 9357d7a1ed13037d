package dev.caisson.engine.spec;

import dev.caisson.json.Unknown;
import dev.caisson.json.Unsigned;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The system calls a container may make. Source: runtime specification, config-linux.md, Seccomp.
 *
 * @param defaultAction for calls without a rule, {@code SCMP_ACT_ERRNO}
 * @param defaultErrnoRet the error that it returns
 * @param architectures {@code SCMP_ARCH_X86_64}
 * @param flags of seccomp(2), {@code SECCOMP_FILTER_FLAG_LOG}
 * @param listenerPath socket that gets the notifications
 * @param listenerMetadata what else is told there
 * @param syscalls rules
 * @param others everything else, unchanged
 */
public record Seccomp(
    String defaultAction,
    Optional<Long> defaultErrnoRet,
    List<String> architectures,
    List<String> flags,
    Optional<String> listenerPath,
    Optional<String> listenerMetadata,
    List<Rule> syscalls,
    @Unknown Map<String, Object> others) {

  /** A filter. */
  public static Seccomp of(
      String defaultAction, long defaultErrnoRet, List<String> architectures, List<Rule> syscalls) {
    return new Seccomp(
        defaultAction,
        Optional.of(defaultErrnoRet),
        architectures,
        List.of(),
        Optional.empty(),
        Optional.empty(),
        syscalls,
        Map.of());
  }

  /** Copies what could change under it. */
  public Seccomp {
    architectures = List.copyOf(architectures);
    flags = List.copyOf(flags);
    syscalls = List.copyOf(syscalls);
    others = Ordered.copy(others);
  }

  /**
   * What is done for some calls.
   *
   * @param names the calls
   * @param action {@code SCMP_ACT_ALLOW}
   * @param errnoRet the error it returns
   * @param args conditions; all must hold
   * @param others everything else, unchanged
   */
  public record Rule(
      List<String> names,
      String action,
      Optional<Long> errnoRet,
      List<Argument> args,
      @Unknown Map<String, Object> others) {

    /** A rule without conditions. */
    public static Rule of(List<String> names, String action) {
      return new Rule(names, action, Optional.empty(), List.of(), Map.of());
    }

    /** Copies what could change under it. */
    public Rule {
      names = List.copyOf(names);
      args = List.copyOf(args);
      others = Ordered.copy(others);
    }

    /** This with another {@code errnoRet}. */
    public Rule withErrnoRet(long errnoRet) {
      return new Rule(names, action, Optional.of(errnoRet), args, others);
    }

    /** This with another {@code args}. */
    public Rule withArgs(List<Argument> args) {
      return new Rule(names, action, errnoRet, args, others);
    }
  }

  /**
   * A condition on one argument of a call.
   *
   * @param index which, 0 to 5
   * @param value what it is compared with
   * @param valueTwo for {@code SCMP_CMP_MASKED_EQ}: what must be left under the mask {@code value}
   * @param op {@code SCMP_CMP_EQ}
   * @param others everything else, unchanged
   */
  public record Argument(
      Optional<Integer> index,
      @Unsigned Optional<Long> value,
      @Unsigned Optional<Long> valueTwo,
      String op,
      @Unknown Map<String, Object> others) {

    /** A condition. */
    public static Argument of(int index, long value, long valueTwo, String op) {
      return new Argument(
          Optional.of(index), Optional.of(value), Optional.of(valueTwo), op, Map.of());
    }

    /** Copies what could change under it. */
    public Argument {
      others = Ordered.copy(others);
    }
  }
}
