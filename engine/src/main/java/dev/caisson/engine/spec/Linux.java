package dev.caisson.engine.spec;

import dev.caisson.json.Unknown;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is particular to Linux. Source: runtime specification, config-linux.md.
 *
 * @param uidMappings users of the container's user namespace
 * @param gidMappings groups of the container's user namespace
 * @param sysctl kernel settings of the container's namespaces, {@code net.ipv4.ip_forward}
 * @param resources what it may use
 * @param cgroupsPath its cgroup
 * @param namespaces the namespaces of its own; others are the runtime's
 * @param devices nodes made in it
 * @param seccomp system calls it may make
 * @param rootfsPropagation how mounts below its root spread: {@code slave}
 * @param maskedPaths paths it cannot read
 * @param readonlyPaths paths it cannot change
 * @param mountLabel SELinux label of its mounts
 * @param intelRdt share of processor caches and memory bandwidth
 * @param personality execution domain
 * @param timeOffsets what the clocks of its time namespace show more: {@code monotonic}, {@code
 *     boottime}
 * @param others everything else, unchanged
 */
public record Linux(
    List<IdMapping> uidMappings,
    List<IdMapping> gidMappings,
    Map<String, String> sysctl,
    Optional<Resources> resources,
    Optional<String> cgroupsPath,
    List<Namespace> namespaces,
    List<Device> devices,
    Optional<Seccomp> seccomp,
    Optional<String> rootfsPropagation,
    List<String> maskedPaths,
    List<String> readonlyPaths,
    Optional<String> mountLabel,
    Optional<IntelRdt> intelRdt,
    Optional<Personality> personality,
    Map<String, TimeOffset> timeOffsets,
    @Unknown Map<String, Object> others) {

  /** Nothing said. */
  public static final Linux NONE =
      new Linux(
          List.of(),
          List.of(),
          Map.of(),
          Optional.empty(),
          Optional.empty(),
          List.of(),
          List.of(),
          Optional.empty(),
          Optional.empty(),
          List.of(),
          List.of(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Map.of(),
          Map.of());

  /** Whether it gets a namespace of a type that is not the runtime's own. */
  public boolean hasNamespace(String type) {
    return namespaces.stream().anyMatch(namespace -> namespace.type().equals(type));
  }

  /** Copies what could change under it. */
  public Linux {
    uidMappings = List.copyOf(uidMappings);
    gidMappings = List.copyOf(gidMappings);
    sysctl = Ordered.copy(sysctl);
    namespaces = List.copyOf(namespaces);
    devices = List.copyOf(devices);
    maskedPaths = List.copyOf(maskedPaths);
    readonlyPaths = List.copyOf(readonlyPaths);
    timeOffsets = Ordered.copy(timeOffsets);
    others = Ordered.copy(others);
  }

  /** This with another {@code sysctl}. */
  public Linux withSysctl(Map<String, String> sysctl) {
    return new Linux(
        uidMappings,
        gidMappings,
        sysctl,
        resources,
        cgroupsPath,
        namespaces,
        devices,
        seccomp,
        rootfsPropagation,
        maskedPaths,
        readonlyPaths,
        mountLabel,
        intelRdt,
        personality,
        timeOffsets,
        others);
  }

  /** This with another {@code resources}. */
  public Linux withResources(Resources resources) {
    return new Linux(
        uidMappings,
        gidMappings,
        sysctl,
        Optional.of(resources),
        cgroupsPath,
        namespaces,
        devices,
        seccomp,
        rootfsPropagation,
        maskedPaths,
        readonlyPaths,
        mountLabel,
        intelRdt,
        personality,
        timeOffsets,
        others);
  }

  /** This with another {@code cgroupsPath}. */
  public Linux withCgroupsPath(String cgroupsPath) {
    return new Linux(
        uidMappings,
        gidMappings,
        sysctl,
        resources,
        Optional.of(cgroupsPath),
        namespaces,
        devices,
        seccomp,
        rootfsPropagation,
        maskedPaths,
        readonlyPaths,
        mountLabel,
        intelRdt,
        personality,
        timeOffsets,
        others);
  }

  /** This with another {@code namespaces}. */
  public Linux withNamespaces(List<Namespace> namespaces) {
    return new Linux(
        uidMappings,
        gidMappings,
        sysctl,
        resources,
        cgroupsPath,
        namespaces,
        devices,
        seccomp,
        rootfsPropagation,
        maskedPaths,
        readonlyPaths,
        mountLabel,
        intelRdt,
        personality,
        timeOffsets,
        others);
  }

  /** This with another {@code devices}. */
  public Linux withDevices(List<Device> devices) {
    return new Linux(
        uidMappings,
        gidMappings,
        sysctl,
        resources,
        cgroupsPath,
        namespaces,
        devices,
        seccomp,
        rootfsPropagation,
        maskedPaths,
        readonlyPaths,
        mountLabel,
        intelRdt,
        personality,
        timeOffsets,
        others);
  }

  /** This with another {@code seccomp}. */
  public Linux withSeccomp(Seccomp seccomp) {
    return new Linux(
        uidMappings,
        gidMappings,
        sysctl,
        resources,
        cgroupsPath,
        namespaces,
        devices,
        Optional.of(seccomp),
        rootfsPropagation,
        maskedPaths,
        readonlyPaths,
        mountLabel,
        intelRdt,
        personality,
        timeOffsets,
        others);
  }

  /** This with another {@code maskedPaths}. */
  public Linux withMaskedPaths(List<String> maskedPaths) {
    return new Linux(
        uidMappings,
        gidMappings,
        sysctl,
        resources,
        cgroupsPath,
        namespaces,
        devices,
        seccomp,
        rootfsPropagation,
        maskedPaths,
        readonlyPaths,
        mountLabel,
        intelRdt,
        personality,
        timeOffsets,
        others);
  }

  /** This with another {@code readonlyPaths}. */
  public Linux withReadonlyPaths(List<String> readonlyPaths) {
    return new Linux(
        uidMappings,
        gidMappings,
        sysctl,
        resources,
        cgroupsPath,
        namespaces,
        devices,
        seccomp,
        rootfsPropagation,
        maskedPaths,
        readonlyPaths,
        mountLabel,
        intelRdt,
        personality,
        timeOffsets,
        others);
  }
}
