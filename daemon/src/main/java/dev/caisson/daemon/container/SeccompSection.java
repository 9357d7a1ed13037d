package dev.caisson.daemon.container;

import dev.caisson.library.SecuritySettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
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

  static Optional<Object> of(SecuritySettings security) {
    // The bounding set says what set-uid programs in it may get; the filter follows it.
    var capabilities =
        new LinkedHashSet<>(
            Capabilities.bounding(
                false, security.capabilitiesAdded(), security.capabilitiesDropped(), -1L));
    if (security.seccomp().isEmpty()) {
      return Optional.of(usual(capabilities));
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

  static Map<String, Object> usual(Set<String> capabilities) {
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
    var rules = new ArrayList<Object>();
    rules.add(Map.of("names", List.copyOf(allowed), "action", ALLOW));
    rules.add(Map.of("names", List.copyOf(refused), "action", REFUSE, "errnoRet", EPERM));
    for (var personality : PERSONALITIES) {
      rules.add(rule("personality", 0, personality, "SCMP_CMP_EQ"));
    }
    rules.add(rule("socket", 0, AF_VSOCK, "SCMP_CMP_NE"));
    rules.add(refusal(argument(0, AF_VSOCK, 0, "SCMP_CMP_EQ"), "socket"));
    if (!allowed.contains("clone")) {
      rules.add(
          Map.of(
              "names",
              List.of("clone"),
              "action",
              ALLOW,
              "args",
              List.of(argument(0, NAMESPACES, 0, "SCMP_CMP_MASKED_EQ"))));
      // A filter cannot ask whether any bit of a mask is set, only for each bit.
      for (long flag = NAMESPACES; flag != 0; flag &= flag - 1) {
        long lowest = Long.lowestOneBit(flag);
        rules.add(refusal(argument(0, lowest, lowest, "SCMP_CMP_MASKED_EQ"), "clone"));
      }
      // Its flags lie in memory, where a filter cannot look: C libraries then use clone.
      rules.add(Map.of("names", List.of("clone3"), "action", REFUSE, "errnoRet", ENOSYS));
    }
    var section = new LinkedHashMap<String, Object>();
    section.put("defaultAction", REFUSE);
    section.put("defaultErrnoRet", ENOSYS);
    section.put("architectures", ARCHITECTURES);
    section.put("syscalls", rules);
    return section;
  }

  private static Map<String, Object> rule(String call, long index, long value, String operator) {
    return Map.of(
        "names",
        List.of(call),
        "action",
        ALLOW,
        "args",
        List.of(argument(index, value, 0, operator)));
  }

  private static Map<String, Object> refusal(Map<String, Object> argument, String call) {
    return Map.of(
        "names", List.of(call), "action", REFUSE, "errnoRet", EPERM, "args", List.of(argument));
  }

  private static Map<String, Object> argument(
      long index, long value, long valueTwo, String operator) {
    return Map.of("index", index, "value", value, "valueTwo", valueTwo, "op", operator);
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
