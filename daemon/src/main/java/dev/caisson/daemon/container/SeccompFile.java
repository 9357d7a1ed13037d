package dev.caisson.daemon.container;

import dev.caisson.json.Json;
import dev.caisson.json.JsonException;
import dev.caisson.json.Name;
import dev.caisson.json.Unknown;
import dev.caisson.library.CaissonException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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
    List<String> architectures,
    @Name("archMap") List<Family> families,
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
      String comment,
      Optional<Condition> includes,
      Optional<Condition> excludes,
      @Unknown Map<String, Object> others) {

    private Map<String, Object> tree() {
      var tree = new LinkedHashMap<String, Object>();
      tree.put("names", name.isEmpty() ? names : List.of(name));
      tree.putAll(others);
      return tree;
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
  static Map<String, Object> read(String path, Surroundings surroundings) {
    try {
      return Json.read(Path.of(path), SeccompFile.class).section(surroundings);
    } catch (UncheckedIOException | JsonException | IllegalArgumentException e) {
      throw Refusal.of(
          "seccomp profile '" + path + "'",
          String.valueOf(e.getMessage()),
          "give a profile of the OCI runtime specification or of Docker");
    }
  }

  private Map<String, Object> section(Surroundings surroundings) {
    if (defaultAction.isEmpty()) {
      throw new IllegalArgumentException("defaultAction is missing");
    }
    if (!architectures.isEmpty() && !families.isEmpty()) {
      throw new IllegalArgumentException("architectures and archMap exclude each other");
    }
    var section = new LinkedHashMap<String, Object>();
    section.put("defaultAction", defaultAction);
    var all = new ArrayList<>(architectures);
    for (var family : families) {
      if (family.architecture().equals(surroundings.seccompArchitecture())) {
        all.add(family.architecture());
        all.addAll(family.others());
      }
    }
    if (!all.isEmpty()) {
      section.put("architectures", all);
    }
    var counting = new ArrayList<Object>();
    for (int i = 0; i < rules.size(); i++) {
      var rule = rules.get(i);
      if (!rule.name().isEmpty() && !rule.names().isEmpty()) {
        throw new IllegalArgumentException(
            "syscalls[" + i + "]: name and names exclude each other");
      }
      if (counts(rule, "syscalls[" + i + "]", surroundings)) {
        counting.add(rule.tree());
      }
    }
    section.put("syscalls", counting);
    section.putAll(others);
    return section;
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
