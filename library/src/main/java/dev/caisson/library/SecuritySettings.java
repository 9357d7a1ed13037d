package dev.caisson.library;

import java.util.List;
import java.util.Optional;

/**
 * What a container may do.
 *
 * @param capabilitiesAdded capability names with or without CAP_, or {@code ALL}
 * @param capabilitiesDropped the same
 * @param privileged everything: all capabilities and devices, no seccomp filter, nothing masked
 * @param readonlyRoot its root cannot be written
 * @param noNewPrivileges set-uid programs and file capabilities gain nothing (prctl(2)
 *     PR_SET_NO_NEW_PRIVS)
 * @param seccomp profile: empty for the usual one, {@code unconfined}, or the path of a profile on
 *     the host
 * @param unmaskedPaths masked or read-only paths under /proc and /sys to leave alone; {@code ALL}
 *     for all of them
 */
public record SecuritySettings(
    List<String> capabilitiesAdded,
    List<String> capabilitiesDropped,
    boolean privileged,
    boolean readonlyRoot,
    boolean noNewPrivileges,
    Optional<String> seccomp,
    List<String> unmaskedPaths) {

  /** Docker's usual rights. */
  public static final SecuritySettings USUAL =
      new SecuritySettings(List.of(), List.of(), false, false, false, Optional.empty(), List.of());

  /** Copies what could change under it. */
  public SecuritySettings {
    capabilitiesAdded = List.copyOf(capabilitiesAdded);
    capabilitiesDropped = List.copyOf(capabilitiesDropped);
    unmaskedPaths = List.copyOf(unmaskedPaths);
  }

  /** This with another {@code capabilitiesAdded}. */
  public SecuritySettings withCapabilitiesAdded(List<String> capabilitiesAdded) {
    return new SecuritySettings(
        capabilitiesAdded,
        capabilitiesDropped,
        privileged,
        readonlyRoot,
        noNewPrivileges,
        seccomp,
        unmaskedPaths);
  }

  /** This with another {@code capabilitiesDropped}. */
  public SecuritySettings withCapabilitiesDropped(List<String> capabilitiesDropped) {
    return new SecuritySettings(
        capabilitiesAdded,
        capabilitiesDropped,
        privileged,
        readonlyRoot,
        noNewPrivileges,
        seccomp,
        unmaskedPaths);
  }

  /** This with another {@code privileged}. */
  public SecuritySettings withPrivileged(boolean privileged) {
    return new SecuritySettings(
        capabilitiesAdded,
        capabilitiesDropped,
        privileged,
        readonlyRoot,
        noNewPrivileges,
        seccomp,
        unmaskedPaths);
  }

  /** This with another {@code readonlyRoot}. */
  public SecuritySettings withReadonlyRoot(boolean readonlyRoot) {
    return new SecuritySettings(
        capabilitiesAdded,
        capabilitiesDropped,
        privileged,
        readonlyRoot,
        noNewPrivileges,
        seccomp,
        unmaskedPaths);
  }

  /** This with another {@code noNewPrivileges}. */
  public SecuritySettings withNoNewPrivileges(boolean noNewPrivileges) {
    return new SecuritySettings(
        capabilitiesAdded,
        capabilitiesDropped,
        privileged,
        readonlyRoot,
        noNewPrivileges,
        seccomp,
        unmaskedPaths);
  }

  /** This with another {@code seccomp}. */
  public SecuritySettings withSeccomp(String seccomp) {
    return new SecuritySettings(
        capabilitiesAdded,
        capabilitiesDropped,
        privileged,
        readonlyRoot,
        noNewPrivileges,
        Optional.of(seccomp),
        unmaskedPaths);
  }

  /** This with another {@code unmaskedPaths}. */
  public SecuritySettings withUnmaskedPaths(List<String> unmaskedPaths) {
    return new SecuritySettings(
        capabilitiesAdded,
        capabilitiesDropped,
        privileged,
        readonlyRoot,
        noNewPrivileges,
        seccomp,
        unmaskedPaths);
  }
}
