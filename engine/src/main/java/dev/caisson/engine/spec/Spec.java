package dev.caisson.engine.spec;

import dev.caisson.json.Name;
import dev.caisson.json.Unknown;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The OCI runtime specification of one container, version 1.2: the content of {@code config.json}.
 * Sections of other platforms are kept among the unknown fields. Source: runtime specification,
 * config.md.
 *
 * @param version version of the specification it follows, {@code 1.2.0}
 * @param process the first process; not needed before the container is started
 * @param root the root file system; required on Linux
 * @param hostname host name, in a UTS namespace of its own
 * @param domainname NIS domain name, in a UTS namespace of its own
 * @param mounts what is mounted besides the root, in this order
 * @param hooks programs run at points of the container's life
 * @param annotations whatever somebody wanted to say
 * @param linux what is particular to Linux
 * @param others everything else, unchanged
 */
public record Spec(
    @Name("ociVersion") String version,
    Optional<Process> process,
    Optional<Root> root,
    Optional<String> hostname,
    Optional<String> domainname,
    List<Mount> mounts,
    Optional<Hooks> hooks,
    Map<String, String> annotations,
    Optional<Linux> linux,
    @Unknown Map<String, Object> others) {

  /** The version that is written. Everything used of it is understood by older runtimes as well. */
  public static final String WRITTEN = "1.0.2";

  /** Just a root. */
  public static Spec of(Root root) {
    return new Spec(
        WRITTEN,
        Optional.empty(),
        Optional.of(root),
        Optional.empty(),
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Map.of(),
        Optional.empty(),
        Map.of());
  }

  /** Copies what could change under it. */
  public Spec {
    mounts = List.copyOf(mounts);
    annotations = Ordered.copy(annotations);
    others = Ordered.copy(others);
  }

  /** This with another {@code process}. */
  public Spec withProcess(Process process) {
    return new Spec(
        version,
        Optional.of(process),
        root,
        hostname,
        domainname,
        mounts,
        hooks,
        annotations,
        linux,
        others);
  }

  /** This with another {@code root}. */
  public Spec withRoot(Root root) {
    return new Spec(
        version,
        process,
        Optional.of(root),
        hostname,
        domainname,
        mounts,
        hooks,
        annotations,
        linux,
        others);
  }

  /** This with another {@code hostname}. */
  public Spec withHostname(String hostname) {
    return new Spec(
        version,
        process,
        root,
        Optional.of(hostname),
        domainname,
        mounts,
        hooks,
        annotations,
        linux,
        others);
  }

  /** This with another {@code mounts}. */
  public Spec withMounts(List<Mount> mounts) {
    return new Spec(
        version, process, root, hostname, domainname, mounts, hooks, annotations, linux, others);
  }

  /** This with another {@code hooks}. */
  public Spec withHooks(Hooks hooks) {
    return new Spec(
        version,
        process,
        root,
        hostname,
        domainname,
        mounts,
        Optional.of(hooks),
        annotations,
        linux,
        others);
  }

  /** This with another {@code annotations}. */
  public Spec withAnnotations(Map<String, String> annotations) {
    return new Spec(
        version, process, root, hostname, domainname, mounts, hooks, annotations, linux, others);
  }

  /** This with another {@code linux}. */
  public Spec withLinux(Linux linux) {
    return new Spec(
        version,
        process,
        root,
        hostname,
        domainname,
        mounts,
        hooks,
        annotations,
        Optional.of(linux),
        others);
  }
}
