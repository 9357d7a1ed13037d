package dev.caisson.oci.registry;

import java.net.URI;
import java.util.Optional;
import java.util.Set;

/**
 * Another place that has a registry's images, asked before the registry itself.
 *
 * @param address its root, to which {@code /v2/} is added
 * @param capabilities what it may be asked for
 * @param credential for it alone; if empty, what {@link Credentials} has for its host and port.
 *     That of the registry is never used
 */
public record Mirror(URI address, Set<Capability> capabilities, Optional<Credential> credential) {

  /** What a mirror may be asked for. */
  public enum Capability {
    /** What a digest names, which can be checked. */
    PULL,
    /** What a tag points to, in which it has to be trusted. */
    RESOLVE
  }

  /** Checks that the address is one of http or https. */
  public Mirror {
    Origin.of(address);
    capabilities = Set.copyOf(capabilities);
  }
}
