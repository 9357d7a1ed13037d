package dev.caisson.daemon.container;

import dev.caisson.engine.spec.Seccomp;
import dev.caisson.engine.spec.SpecCheck;
import dev.caisson.json.Json;
import dev.caisson.json.JsonException;
import dev.caisson.json.Name;
import dev.caisson.json.Unknown;
import dev.caisson.library.CaissonException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A seccomp profile from a file, in the runtime specification's form or in Docker's, whose rules
 * may stand under conditions.
 *
 * <p>Low-level runtimes pass over conditions, so that a rule meant for a capability would hold for
 * everybody: they are decided here. Docker's meaning: a rule counts when all that it includes is
 * there and nothing that it excludes. A condition nobody knows is refused, not guessed.
 */
record SeccompFile(
    String defaultAction,
    Optional<Long> defaultErrnoRet,
    List<String> architectures,
    @Name("archMap") List<Family> families,
    List<String> flags,
    Optional<String> listenerPath,
    Optional<String> listenerMetadata,
    @Name("syscalls") List<Rule> rules,
    @Unknown Map<String, Object> others) {
  private static final Pattern VERSION = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})(\\D.*)?");
  private static final int MINORS = 10_000;

  /** An architecture and those it runs beside its own. */
  record Family(String architecture, @Name("subArchitectures") List<String> others) {}

  /** What is done for some calls. Older profiles give one {@code name} instead of a list. */
  record Rule(
      String name,
      List<String> names,
      String action,
      Optional<Long> errnoRet,
      List<Seccomp.Argument> args,
      String comment,
      Optional<Condition> includes,
      Optional<Condition> excludes,
      @Unknown Map<String, Object> others) {

    private Seccomp.Rule rule() {
      return new Seccomp.Rule(
          name.isEmpty() ? names : List.of(name), action, errnoRet, args, others);
    }
  }

  /**
   * When a rule counts.
   *
   * @param arches architectures in Go's words
   * @param minKernel first kernel, {@code 4.8}
   */
  record Condition(
      List<String> caps,
      List<String> arches,
      String minKernel,
      @Unknown Map<String, Object> others) {}

  /**
   * Where a profile is to hold.
   *
   * @param capabilities the container's bounding set
   * @param architecture this machine's in Go's words
   * @param seccompArchitecture the same in libseccomp's
   * @param kernel this machine's release, {@code 6.1.0-18-amd64}
   */
  record Surroundings(
      Set<String> capabilities, String architecture, String seccompArchitecture, String kernel) {}

  /**
   * Reads a profile.
   *
   * @return the specification's {@code linux.seccomp}
   * @throws CaissonException when it cannot be read or understood, naming the file
   */
  static Seccomp read(String path, Surroundings surroundings) {
    try {
      return Json.read(Path.of(path), SeccompFile.class).section(surroundings);
    } catch (UncheckedIOException | JsonException | IllegalArgumentException e) {
      throw Refusal.of(
          "seccomp profile '" + path + "'",
          String.valueOf(e.getMessage()),
          "give a profile of the OCI runtime specification or of Docker");
    }
  }

  private Seccomp section(Surroundings surroundings) {
    if (!architectures.isEmpty() && !families.isEmpty()) {
      throw new IllegalArgumentException("architectures and archMap exclude each other");
    }
    for (int i = 0; i < rules.size(); i++) {
      if (!rules.get(i).name().isEmpty() && !rules.get(i).names().isEmpty()) {
        throw new IllegalArgumentException(
            "syscalls[" + i + "]: name and names exclude each other");
      }
    }
    // All rules are checked where they stand in the file, also those that do not count.
    SpecCheck.of(with(architectures, rules)).errors().stream()
        .findFirst()
        .ifPresent(error -> {
          throw new IllegalArgumentException(error.text());
        });
    var all = new ArrayList<>(architectures);
    for (var family : families) {
      if (family.architecture().equals(surroundings.seccompArchitecture())) {
        all.add(family.architecture());
        all.addAll(family.others());
      }
    }
    var counting = new ArrayList<Rule>();
    for (int i = 0; i < rules.size(); i++) {
      if (counts(rules.get(i), "syscalls[" + i + "]", surroundings)) {
        counting.add(rules.get(i));
      }
    }
    return with(all, counting);
  }

  private Seccomp with(List<String> wantedArchitectures, List<Rule> wantedRules) {
    return new Seccomp(
        defaultAction,
        defaultErrnoRet,
        wantedArchitectures,
        flags,
        listenerPath,
        listenerMetadata,
        wantedRules.stream().map(Rule::rule).toList(),
        others);
  }

  private static boolean counts(Rule rule, String where, Surroundings surroundings) {
    boolean included = true;
    if (rule.includes().isPresent()) {
      var condition = checked(rule.includes().get(), where + ".includes");
      included =
          surroundings.capabilities().containsAll(condition.caps())
              && (condition.arches().isEmpty()
                  || condition.arches().contains(surroundings.architecture()))
              && (condition.minKernel().isEmpty() || reaches(condition, surroundings, where));
    }
    boolean excluded = false;
    if (rule.excludes().isPresent()) {
      var condition = checked(rule.excludes().get(), where + ".excludes");
      excluded =
          condition.caps().stream().anyMatch(surroundings.capabilities()::contains)
              || condition.arches().contains(surroundings.architecture())
              || !condition.minKernel().isEmpty() && reaches(condition, surroundings, where);
    }
    return included && !excluded;
  }

  private static Condition checked(Condition condition, String where) {
    if (!condition.others().isEmpty()) {
      throw new IllegalArgumentException(
          where + ": unknown condition " + String.join(", ", condition.others().keySet()));
    }
    return condition;
  }

  private static boolean reaches(Condition condition, Surroundings surroundings, String where) {
    return number(surroundings.kernel(), where) >= number(condition.minKernel(), where);
  }

  private static int number(String release, String where) {
    var version = VERSION.matcher(release);
    if (!version.matches()) {
      throw new IllegalArgumentException(where + ": '" + release + "' is no kernel version");
    }
    return Integer.parseInt(version.group(1)) * MINORS + Integer.parseInt(version.group(2));
  }
}
