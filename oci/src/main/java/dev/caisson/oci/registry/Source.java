package dev.caisson.oci.registry;

import dev.caisson.oci.Descriptor;
import dev.caisson.oci.Digest;
import dev.caisson.oci.ImageException;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;

/**
 * One repository at one host. Source: OCI distribution specification, "Pull".
 *
 * @param endpoint the host
 * @param repository its name there
 * @param query for mirrors, which registry is meant: {@code ?ns=docker.io}
 * @param scope the rights that are needed
 */
record Source(Endpoint endpoint, String repository, String query, String scope) {
  /** What registries themselves take at most. */
  private static final int LONGEST_MANIFEST = 4 << 20;

  private static final int LONGEST_CONFIG = 8 << 20;

  private static final String MANIFEST_TYPES =
      String.join(
          ", ",
          Descriptor.INDEX,
          Descriptor.MANIFEST,
          Descriptor.DOCKER_INDEX,
          Descriptor.DOCKER_MANIFEST);

  /** Gets a manifest or a list of them by tag or digest. */
  Document manifest(String reference) throws InterruptedException {
    var call = Call.get(manifestAddress(reference)).with("Accept", MANIFEST_TYPES);
    return endpoint.read(call, scope, LONGEST_MANIFEST, "get manifest '" + reference + "'");
  }

  /** What a tag points to, where the host tells it without sending it. */
  Optional<Digest> digest(String tag) throws InterruptedException {
    var call = Call.head(manifestAddress(tag)).with("Accept", MANIFEST_TYPES);
    try (var answer = endpoint.send(call, scope)) {
      return answer.status() == Answer.OK
          ? answer.header("Docker-Content-Digest").filter(Digest::isDigest).map(Digest::new)
          : Optional.empty();
    }
  }

  private URI manifestAddress(String reference) {
    return endpoint.address(repository + "/manifests/" + reference + query);
  }

  /** Gets a small blob; its length is what its descriptor says, and no more is read. */
  byte[] config(Descriptor descriptor) throws InterruptedException {
    String tried = "get config '" + descriptor.digest() + "'";
    if (descriptor.size() > LONGEST_CONFIG) {
      throw new ImageException(
          ImageException.Kind.INVALID,
          tried,
          "it has " + descriptor.size() + " bytes, more than " + LONGEST_CONFIG,
          "");
    }
    var call = Call.get(blobAddress(descriptor.digest()));
    return endpoint.read(call, scope, (int) descriptor.size(), tried).bytes();
  }

  /** Asks for a blob once, from a position on. */
  Answer blob(Digest digest, long position) throws IOException, InterruptedException {
    var call = Call.get(blobAddress(digest));
    return endpoint.sendOnce(
        position == 0 ? call : call.with("Range", "bytes=" + position + "-"), scope);
  }

  private URI blobAddress(Digest digest) {
    return endpoint.address(repository + "/blobs/" + digest + query);
  }
}
