package dev.caisson.engine.spec;

import java.util.List;
import java.util.Optional;

/** Checks {@code linux.seccomp}. Source: runtime specification, config-linux.md, Seccomp. */
final class SeccompCheck {
  private static final String ERRNO = "SCMP_ACT_ERRNO";
  private static final String TRACE = "SCMP_ACT_TRACE";
  private static final String NOTIFY = "SCMP_ACT_NOTIFY";
  private static final List<String> ACTIONS =
      List.of(
          "SCMP_ACT_ALLOW",
          ERRNO,
          "SCMP_ACT_KILL",
          "SCMP_ACT_KILL_PROCESS",
          "SCMP_ACT_KILL_THREAD",
          "SCMP_ACT_LOG",
          NOTIFY,
          TRACE,
          "SCMP_ACT_TRAP");
  private static final List<String> OPERATORS =
      List.of(
          "SCMP_CMP_NE",
          "SCMP_CMP_LT",
          "SCMP_CMP_LE",
          "SCMP_CMP_EQ",
          "SCMP_CMP_GE",
          "SCMP_CMP_GT",
          "SCMP_CMP_MASKED_EQ");
  private static final List<String> ARCHITECTURES =
      List.of(
          "SCMP_ARCH_X86",
          "SCMP_ARCH_X86_64",
          "SCMP_ARCH_X32",
          "SCMP_ARCH_ARM",
          "SCMP_ARCH_AARCH64",
          "SCMP_ARCH_MIPS",
          "SCMP_ARCH_MIPS64",
          "SCMP_ARCH_MIPS64N32",
          "SCMP_ARCH_MIPSEL",
          "SCMP_ARCH_MIPSEL64",
          "SCMP_ARCH_MIPSEL64N32",
          "SCMP_ARCH_PPC",
          "SCMP_ARCH_PPC64",
          "SCMP_ARCH_PPC64LE",
          "SCMP_ARCH_S390",
          "SCMP_ARCH_S390X",
          "SCMP_ARCH_PARISC",
          "SCMP_ARCH_PARISC64",
          "SCMP_ARCH_RISCV64",
          "SCMP_ARCH_LOONGARCH64",
          "SCMP_ARCH_M68K",
          "SCMP_ARCH_SH",
          "SCMP_ARCH_SHEB");
  private static final List<String> FLAGS =
      List.of(
          "SECCOMP_FILTER_FLAG_TSYNC",
          "SECCOMP_FILTER_FLAG_LOG",
          "SECCOMP_FILTER_FLAG_SPEC_ALLOW",
          "SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV");

  /** A filter returns 16 bits. Source: seccomp(2). */
  private static final long LARGEST_ERROR = 65_535;

  private static final int LAST_ARGUMENT = 5;

  private SeccompCheck() {}

  /**
   * Checks it.
   *
   * @param at where it stands; empty for a section alone
   */
  static void check(Seccomp seccomp, String at, Findings findings) {
    var path = at.isEmpty() ? "" : at + ".";
    findings.oneOf(path + "defaultAction", seccomp.defaultAction(), ACTIONS);
    if (seccomp.defaultAction().equals(NOTIFY)) {
      // Nobody could answer for the call that would hand the listener over.
      findings.wrong(path + "defaultAction", NOTIFY, "it in rules only");
    }
    error(path + "defaultErrnoRet", seccomp.defaultErrnoRet(), seccomp.defaultAction(), findings);
    each(path + "architectures", seccomp.architectures(), ARCHITECTURES, findings);
    each(path + "flags", seccomp.flags(), FLAGS, findings);
    seccomp
        .listenerPath()
        .filter(socket -> !socket.isEmpty())
        .ifPresent(socket -> findings.absolute(path + "listenerPath", socket));
    if (seccomp.listenerMetadata().filter(text -> !text.isEmpty()).isPresent()
        && seccomp.listenerPath().filter(text -> !text.isEmpty()).isEmpty()) {
      findings.error(path + "listenerMetadata", "found text, wanted none without listenerPath");
    }
    for (int i = 0; i < seccomp.syscalls().size(); i++) {
      rule(seccomp.syscalls().get(i), path + "syscalls[" + i + "]", seccomp, findings);
    }
  }

  private static void rule(Seccomp.Rule rule, String path, Seccomp seccomp, Findings findings) {
    if (rule.names().isEmpty()) {
      findings.error(path + ".names", "missing or empty, wanted the names of system calls");
    }
    for (int i = 0; i < rule.names().size(); i++) {
      findings.given(path + ".names[" + i + "]", rule.names().get(i), "the name of a system call");
    }
    findings.oneOf(path + ".action", rule.action(), ACTIONS);
    if (rule.action().equals(NOTIFY)
        && seccomp.listenerPath().filter(text -> !text.isEmpty()).isEmpty()) {
      findings.wrong(path + ".action", NOTIFY, "the field listenerPath with it");
    }
    error(path + ".errnoRet", rule.errnoRet(), rule.action(), findings);
    for (int i = 0; i < rule.args().size(); i++) {
      var argument = rule.args().get(i);
      var here = path + ".args[" + i + "]";
      findings.required(here + ".index", argument.index(), 0, LAST_ARGUMENT);
      findings.required(here + ".value", argument.value());
      findings.oneOf(here + ".op", argument.op(), OPERATORS);
    }
  }

  private static void error(String path, Optional<Long> error, String action, Findings findings) {
    findings.within(path, error, 0, LARGEST_ERROR);
    if (error.isPresent() && !action.equals(ERRNO) && !action.equals(TRACE)) {
      findings.wrong(path, error.get(), "none: action '" + action + "' returns no error");
    }
  }

  private static void each(
      String path, List<String> values, List<String> known, Findings findings) {
    for (int i = 0; i < values.size(); i++) {
      findings.oneOf(path + "[" + i + "]", values.get(i), known);
    }
  }
}
