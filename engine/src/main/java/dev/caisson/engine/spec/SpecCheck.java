package dev.caisson.engine.spec;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What is wrong in a specification, or odd, as far as its text can tell: it looks at no file and
 * asks no kernel. Errors are what the specification's chapters forbid, and what the kernel refuses
 * always or misunderstands in silence.
 *
 * @param errors what cannot work, in the order of the chapters
 * @param warnings what is odd but works
 */
public record SpecCheck(List<Finding> errors, List<Finding> warnings) {
  private static final Pattern VERSION =
      Pattern.compile("(\\d{1,9})\\.(\\d{1,9})\\.(\\d{1,9})([-+][0-9A-Za-z.+-]+)?");

  /** Longest name of a host or domain. Source: uname(2). */
  private static final int LONGEST_NAME = 64;

  /** Copies what could change under it. */
  public SpecCheck {
    errors = List.copyOf(errors);
    warnings = List.copyOf(warnings);
  }

  /** Checks all; {@code process} may be absent, as it is needed only when a container starts. */
  public static SpecCheck of(Spec spec) {
    var findings = new Findings();
    version(spec.version(), findings);
    root(spec.root(), findings);
    var linux = spec.linux().orElse(Linux.NONE);
    spec.process()
        .ifPresent(process -> {
          ProcessCheck.check(process, "process", findings);
          ProcessCheck.mapped(process, linux, findings);
        });
    name("hostname", spec.hostname(), linux, findings);
    name("domainname", spec.domainname(), linux, findings);
    MountCheck.check(spec.mounts(), linux, findings);
    spec.hooks().ifPresent(hooks -> HookCheck.check(hooks, findings));
    annotations(spec.annotations(), findings);
    spec.linux().ifPresent(section -> LinuxCheck.check(section, findings));
    return from(findings);
  }

  /** Checks all that starting needs: as above, and {@code process} must be there. */
  public static SpecCheck beforeStart(Spec spec) {
    var findings = new Findings();
    if (spec.process().isEmpty()) {
      findings.error("process", "missing, wanted the program to start");
    }
    var all = of(spec);
    all.errors().forEach(error -> findings.error(error.path(), error.problem()));
    all.warnings().forEach(warning -> findings.warning(warning.path(), warning.problem()));
    return from(findings);
  }

  /** Checks a {@code process} section alone; paths begin below it. */
  public static SpecCheck of(Process process) {
    var findings = new Findings();
    ProcessCheck.check(process, "", findings);
    return from(findings);
  }

  /** Checks a {@code linux.resources} section alone; paths are those in a whole specification. */
  public static SpecCheck of(Resources resources) {
    var findings = new Findings();
    ResourceCheck.check(resources, findings);
    return from(findings);
  }

  /** Checks a {@code linux.seccomp} section alone; paths begin below it. */
  public static SpecCheck of(Seccomp seccomp) {
    var findings = new Findings();
    SeccompCheck.check(seccomp, "", findings);
    return from(findings);
  }

  private static SpecCheck from(Findings findings) {
    return new SpecCheck(findings.errors(), findings.warnings());
  }

  private static void version(String version, Findings findings) {
    if (!findings.given("ociVersion", version, "a version such as 1.2.0")) {
      return;
    }
    var parts = VERSION.matcher(version);
    if (!parts.matches()) {
      findings.wrong("ociVersion", version, "a version such as 1.2.0");
    } else if (Integer.parseInt(parts.group(1)) != 1) {
      findings.wrong("ociVersion", version, "version 1 of the specification");
    }
  }

  private static void root(Optional<Root> root, Findings findings) {
    if (root.isEmpty()) {
      findings.error("root", "missing, wanted the root file system");
      return;
    }
    findings.given("root.path", root.get().path(), "the directory of the root");
  }

  private static void name(String path, Optional<String> name, Linux linux, Findings findings) {
    if (name.isEmpty() || name.get().isEmpty() || !findings.plain(path, name.get())) {
      return;
    }
    if (name.get().length() > LONGEST_NAME) {
      findings.wrong(path, name.get(), "at most " + LONGEST_NAME + " characters");
    }
    if (!linux.hasNamespace("uts")) {
      findings.wrong(path, name.get(), "a namespace of type uts in linux.namespaces beside it");
    }
  }

  private static void annotations(Map<String, String> annotations, Findings findings) {
    if (annotations.containsKey("")) {
      findings.error("annotations", "found an empty name, wanted names such as com.example.key");
    }
  }
}
