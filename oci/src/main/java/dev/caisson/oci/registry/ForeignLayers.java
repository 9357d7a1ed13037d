package dev.caisson.oci.registry;

import dev.caisson.oci.Descriptor;
import dev.caisson.oci.ImageException;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Layers that registries may not have, at the addresses in their descriptors. Whoever writes a
 * manifest chooses these, so they are used only where the node allows it, by https, without any
 * login, and never at this machine or on its link. Source: OCI image specification, descriptor.md,
 * urls.
 */
final class ForeignLayers {
  private final Transport transport;
  private final RegistrySettings settings;

  ForeignLayers(Transport transport, RegistrySettings settings) {
    this.transport = transport;
    this.settings = settings;
  }

  /** Whether a blob is of the kind that registries may not have. */
  static boolean isForeign(Descriptor blob) {
    return blob.mediaType().contains(".nondistributable.")
        || blob.mediaType().contains(".foreign.");
  }

  /** Where else a blob may be had; nowhere for most. */
  List<Download.Host> hosts(Descriptor blob) {
    return settings.foreignLayers()
            && isForeign(blob)
            && blob.others().get("urls") instanceof List<?> urls
        ? urls.stream().flatMap(url -> address(url).stream()).map(this::host).toList()
        : List.of();
  }

  private static Optional<URI> address(Object url) {
    try {
      return Stream.of(URI.create(String.valueOf(url)))
          .filter(address -> Origin.of(address).isSecure())
          .findFirst();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private Download.Host host(URI address) {
    return new Download.Host(
        Origin.of(address),
        settings.retries(),
        position -> {
          var call = Call.get(address);
          return transport.exchange(
              position == 0 ? call : call.with("Range", "bytes=" + position + "-"),
              "",
              ForeignLayers::check);
        });
  }

  private static void check(Origin origin) throws IOException {
    if (!origin.isSecure() || origin.isNear()) {
      throw new ImageException(
          ImageException.Kind.INVALID,
          "get a foreign layer from '" + origin + "'",
          "images may not make this node ask itself, its link, or by plain http",
          "");
    }
  }
}
