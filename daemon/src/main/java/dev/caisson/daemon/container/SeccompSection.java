package dev.caisson.daemon.container;

import dev.caisson.engine.spec.Seccomp;
import dev.caisson.engine.spec.Seccomp.Argument;
import dev.caisson.engine.spec.Seccomp.Rule;
import dev.caisson.library.SecuritySettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The specification's {@code linux.seccomp}. The usual profile allows what Docker's does:
 * everything but what reaches beyond a container. Known forbidden calls are answered EPERM, unknown
 * ones ENOSYS. Source: seccomp(2).
 */
final class SeccompSection {
  private static final String LIST = "system-calls.txt";
  private static final long EPERM = 1;
  private static final long ENOSYS = 38;
  private static final String ALLOW = "SCMP_ACT_ALLOW";
  private static final String REFUSE = "SCMP_ACT_ERRNO";

  private static final boolean IS_AMD64 = System.getProperty("os.arch").equals("amd64");

  /** This machine's architecture and those it runs as well. */
  private static final List<String> ARCHITECTURES =
      IS_AMD64
          ? List.of("SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32")
          : List.of("SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM");

  /** Flags of clone(2) that make namespaces. */
  private static final long NAMESPACES = 0x7E020000L;

  private static final long AF_VSOCK = 40;

  /** personality(2): query, and what emulators and debuggers of old binaries need. */
  private static final List<Long> PERSONALITIES =
      List.of(0x0L, 0x0008L, 0x20000L, 0x20008L, 0xffffffffL);

  private SeccompSection() {}

  /** The profile asked for; otherwise the usual one, and none for a privileged container. */
  static Optional<Seccomp> of(SecuritySettings security) {
    // The bounding set says what set-uid programs in it may get; the filter follows it.
    var capabilities =
        new LinkedHashSet<>(
            CapabilitySection.bounding(
                security.privileged(),
                security.capabilitiesAdded(),
                security.capabilitiesDropped(),
                -1L));
    if (security.seccomp().isEmpty()) {
      return security.privileged() ? Optional.empty() : Optional.of(usual(capabilities));
    }
    var wanted = security.seccomp().get();
    if (wanted.equals("unconfined")) {
      return Optional.empty();
    }
    var surroundings =
        new SeccompFile.Surroundings(
            capabilities,
            IS_AMD64 ? "amd64" : "arm64",
            ARCHITECTURES.getFirst(),
            System.getProperty("os.version"));
    return Optional.of(SeccompFile.read(wanted, surroundings));
  }

  static Seccomp usual(Set<String> capabilities) {
    var allowed = new LinkedHashSet<String>();
    var refused = new LinkedHashSet<String>();
    for (var section : sections()) {
      if (section.allow() && section.isFor(capabilities)) {
        allowed.addAll(section.calls());
      } else if (!section.allow()) {
        refused.addAll(section.calls());
      }
    }
    refused.removeAll(allowed);
    var rules = new ArrayList<Rule>();
    rules.add(Rule.of(List.copyOf(allowed), ALLOW));
    rules.add(Rule.of(List.copyOf(refused), REFUSE).withErrnoRet(EPERM));
    for (var personality : PERSONALITIES) {
      rules.add(permission(Argument.of(0, personality, 0, "SCMP_CMP_EQ"), "personality"));
    }
    rules.add(permission(Argument.of(0, AF_VSOCK, 0, "SCMP_CMP_NE"), "socket"));
    rules.add(refusal(Argument.of(0, AF_VSOCK, 0, "SCMP_CMP_EQ"), "socket"));
    if (!allowed.contains("clone")) {
      rules.add(
          Rule.of(List.of("clone"), ALLOW)
              .withArgs(List.of(Argument.of(0, NAMESPACES, 0, "SCMP_CMP_MASKED_EQ"))));
      // A filter cannot ask whether any bit of a mask is set, only for each bit.
      for (long flag = NAMESPACES; flag != 0; flag &= flag - 1) {
        long lowest = Long.lowestOneBit(flag);
        rules.add(refusal(Argument.of(0, lowest, lowest, "SCMP_CMP_MASKED_EQ"), "clone"));
      }
      // Its flags lie in memory, where a filter cannot look: C libraries then use clone.
      rules.add(Rule.of(List.of("clone3"), REFUSE).withErrnoRet(ENOSYS));
    }
    return Seccomp.of(REFUSE, ENOSYS, ARCHITECTURES, rules);
  }

  private static Rule permission(Argument argument, String call) {
    return Rule.of(List.of(call), ALLOW).withArgs(List.of(argument));
  }

  private static Rule refusal(Argument argument, String call) {
    return Rule.of(List.of(call), REFUSE).withErrnoRet(EPERM).withArgs(List.of(argument));
  }

  /** A part of the list. */
  private record Section(boolean allow, Set<String> capabilities, List<String> calls) {
    boolean isFor(Set<String> own) {
      return capabilities.isEmpty() || capabilities.stream().anyMatch(own::contains);
    }
  }

  private static List<Section> sections() {
    var sections = new ArrayList<Section>();
    for (var line : list().lines().toList()) {
      var words = List.of(line.strip().split("\\s+"));
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      if (words.getFirst().equals("allow") || words.getFirst().equals("refuse")) {
        sections.add(
            new Section(
                words.getFirst().equals("allow"),
                Set.copyOf(words.subList(1, words.size())),
                new ArrayList<>()));
      } else {
        sections.getLast().calls().addAll(words);
      }
    }
    return sections;
  }

  private static String list() {
    try (InputStream in = SeccompSection.class.getResourceAsStream(LIST)) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks " + LIST);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
