package dev.caisson.library;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a container is made from. Start with {@link #of} and change what matters with the withers.
 *
 * @param image reference or id of the image, {@code builtin/busybox} for the one made on this
 *     machine
 * @param name free name; empty for a made-up one
 * @param process the first process
 * @param limits what it may use
 * @param mounts binds and tmpfs, besides the usual ones
 * @param devices device nodes of the host to give
 * @param security what it may do
 * @param network {@code none} or {@code host}
 * @param hostname its host name; empty for the first 12 digits of the id (the host's own with
 *     network {@code host})
 * @param hosts extra lines of /etc/hosts: name to address
 * @param dns resolver settings; empty fields follow the host
 * @param namespaces namespaces shared with the host instead of own ones: {@code pid}, {@code ipc},
 *     {@code uts}, {@code cgroup}
 * @param shmBytes size of /dev/shm; empty for 64 MiB
 * @param sysctls kernel settings of the container's own namespaces
 * @param labels kept with the container, never interpreted
 * @param annotations handed to the low-level runtime and its hooks
 * @param log how output is kept
 * @param runtime low-level runtime: {@code auto}, {@code crun}, {@code runc} or an absolute path
 * @param init put a small init in front that reaps and forwards signals
 * @param stopSignal signal that asks it to end; empty for the image's, or SIGTERM
 * @param stopGrace time between that signal and SIGKILL; empty for 10 s
 * @param pull when to ask the registry
 * @param platform {@code os/arch[/variant]} wanted of the image; empty for this machine's
 * @param removeAtEnd remove the container when it ends
 */
public record ContainerSettings(
    String image,
    Optional<String> name,
    ProcessSettings process,
    Limits limits,
    List<MountSettings> mounts,
    List<DeviceSettings> devices,
    SecuritySettings security,
    String network,
    Optional<String> hostname,
    List<HostEntry> hosts,
    DnsSettings dns,
    List<String> namespaces,
    Optional<Long> shmBytes,
    Map<String, String> sysctls,
    Map<String, String> labels,
    Map<String, String> annotations,
    LogKeeping log,
    String runtime,
    boolean init,
    Optional<String> stopSignal,
    Optional<Duration> stopGrace,
    PullPolicy pull,
    Optional<String> platform,
    boolean removeAtEnd) {

  /** Copies what could change under it. */
  public ContainerSettings {
    mounts = List.copyOf(mounts);
    devices = List.copyOf(devices);
    hosts = List.copyOf(hosts);
    namespaces = List.copyOf(namespaces);
    sysctls = Map.copyOf(sysctls);
    labels = Map.copyOf(labels);
    annotations = Map.copyOf(annotations);
  }

  /** A line of /etc/hosts; {@code address} may be {@code host-gateway}. */
  public record HostEntry(String name, String address) {}

  /**
   * The usual container of an image, running {@code command} or what the image says when none is
   * given.
   */
  public static ContainerSettings of(String image, String... command) {
    return new ContainerSettings(
        image,
        Optional.empty(),
        ProcessSettings.of(command),
        Limits.NONE,
        List.of(),
        List.of(),
        SecuritySettings.USUAL,
        "none",
        Optional.empty(),
        List.of(),
        DnsSettings.USUAL,
        List.of(),
        Optional.empty(),
        Map.of(),
        Map.of(),
        Map.of(),
        LogKeeping.USUAL,
        "auto",
        false,
        Optional.empty(),
        Optional.empty(),
        PullPolicy.MISSING,
        Optional.empty(),
        false);
  }

  /** This with another {@code image}. */
  public ContainerSettings withImage(String image) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code name}. */
  public ContainerSettings withName(String name) {
    return new ContainerSettings(
        image,
        Optional.of(name),
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code process}. */
  public ContainerSettings withProcess(ProcessSettings process) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code limits}. */
  public ContainerSettings withLimits(Limits limits) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code mounts}. */
  public ContainerSettings withMounts(List<MountSettings> mounts) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code devices}. */
  public ContainerSettings withDevices(List<DeviceSettings> devices) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code security}. */
  public ContainerSettings withSecurity(SecuritySettings security) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code network}. */
  public ContainerSettings withNetwork(String network) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code hostname}. */
  public ContainerSettings withHostname(String hostname) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        Optional.of(hostname),
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code hosts}. */
  public ContainerSettings withHosts(List<HostEntry> hosts) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code dns}. */
  public ContainerSettings withDns(DnsSettings dns) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code namespaces}. */
  public ContainerSettings withNamespaces(List<String> namespaces) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code shmBytes}. */
  public ContainerSettings withShmBytes(long shmBytes) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        Optional.of(shmBytes),
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code sysctls}. */
  public ContainerSettings withSysctls(Map<String, String> sysctls) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code labels}. */
  public ContainerSettings withLabels(Map<String, String> labels) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code annotations}. */
  public ContainerSettings withAnnotations(Map<String, String> annotations) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code log}. */
  public ContainerSettings withLog(LogKeeping log) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code runtime}. */
  public ContainerSettings withRuntime(String runtime) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code init}. */
  public ContainerSettings withInit(boolean init) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code stopSignal}. */
  public ContainerSettings withStopSignal(String stopSignal) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        Optional.of(stopSignal),
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code stopGrace}. */
  public ContainerSettings withStopGrace(Duration stopGrace) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        Optional.of(stopGrace),
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code pull}. */
  public ContainerSettings withPull(PullPolicy pull) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }

  /** This with another {@code platform}. */
  public ContainerSettings withPlatform(String platform) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        Optional.of(platform),
        removeAtEnd);
  }

  /** This with another {@code removeAtEnd}. */
  public ContainerSettings withRemoveAtEnd(boolean removeAtEnd) {
    return new ContainerSettings(
        image,
        name,
        process,
        limits,
        mounts,
        devices,
        security,
        network,
        hostname,
        hosts,
        dns,
        namespaces,
        shmBytes,
        sysctls,
        labels,
        annotations,
        log,
        runtime,
        init,
        stopSignal,
        stopGrace,
        pull,
        platform,
        removeAtEnd);
  }
}
