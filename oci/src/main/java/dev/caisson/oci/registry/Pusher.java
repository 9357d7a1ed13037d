package dev.caisson.oci.registry;

import dev.caisson.json.Json;
import dev.caisson.oci.CountedStream;
import dev.caisson.oci.Descriptor;
import dev.caisson.oci.Digest;
import dev.caisson.oci.Image;
import dev.caisson.oci.ImageException;
import dev.caisson.oci.Images;
import dev.caisson.oci.Manifest;
import dev.caisson.oci.Reference;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Sends one image: first its blobs, several at once, those that the registry does not have; then
 * its manifest, which makes it appear. Source: OCI distribution specification, "Push".
 */
final class Pusher {
  private static final String BYTES = "application/octet-stream";

  private final Images images;
  private final Endpoint endpoint;
  private final Reference reference;
  private final RegistrySettings settings;
  private final Transfer.Listener listener;
  private final String scope;

  Pusher(
      Images images,
      Endpoint endpoint,
      Reference reference,
      RegistrySettings settings,
      Transfer.Listener listener) {
    this.images = images;
    this.endpoint = endpoint;
    this.reference = reference;
    this.settings = settings;
    this.listener = listener;
    this.scope = "repository:" + reference.repository() + ":pull,push";
  }

  /** Returns the digest of the manifest. */
  Digest push(Image image) throws IOException, InterruptedException {
    try (var _ = images.lease(image)) {
      byte[] document = images.manifest(image);
      var manifest = Json.read(document, Manifest.class);
      sendAll(blobs(manifest), siblings(image));
      return sendManifest(image.target(), document);
    }
  }

  private static List<Descriptor> blobs(Manifest manifest) {
    var blobs = new ArrayList<Descriptor>();
    var seen = new LinkedHashSet<Digest>();
    for (Descriptor layer : manifest.layers()) {
      if (!ForeignLayers.isForeign(layer) && seen.add(layer.digest())) {
        blobs.add(layer);
      }
    }
    blobs.add(manifest.config());
    return blobs;
  }

  /** Other repositories of this registry that may have the layers already. */
  private Set<String> siblings(Image image) {
    var siblings = new LinkedHashSet<String>();
    for (Image other : images.all()) {
      if (other.layers().isEmpty() || !image.layers().contains(other.layers().getFirst())) {
        continue;
      }
      try {
        var name = Reference.parse(other.name());
        if (name.registry().equals(reference.registry())) {
          siblings.add(name.repository());
        }
      } catch (IllegalArgumentException e) {
        // Images made here have names that are no registry's.
        continue;
      }
    }
    siblings.remove(reference.repository());
    return siblings;
  }

  // ---- blobs

  private void sendAll(List<Descriptor> blobs, Set<String> siblings)
      throws IOException, InterruptedException {
    var threads =
        Executors.newFixedThreadPool(
            settings.parallel(), Thread.ofPlatform().daemon().name("upload-", 0).factory());
    try {
      var pending = new ArrayList<Future<?>>();
      for (Descriptor blob : blobs) {
        var meter = new Meter(listener, blob.digest().value(), blob.size());
        meter.enter(Transfer.Phase.WAITING, 0);
        Callable<Void> sending =
            () -> {
              send(blob, siblings, meter);
              return null;
            };
        pending.add(threads.submit(sending));
      }
      for (Future<?> each : pending) {
        Ended.await(each);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private void send(Descriptor blob, Set<String> siblings, Meter meter)
      throws InterruptedException {
    if (isThere(blob)) {
      meter.enter(Transfer.Phase.EXISTS, 0);
      return;
    }
    for (String sibling : siblings) {
      if (mounts(blob, sibling)) {
        meter.enter(Transfer.Phase.EXISTS, 0);
        return;
      }
    }
    meter.enter(Transfer.Phase.UPLOADING, 0);
    try (var answer = endpoint.repeat(() -> upload(blob, meter))) {
      if (answer.status() != Answer.CREATED && answer.status() != Answer.NO_CONTENT) {
        throw answer.failure("send blob '" + blob.digest() + "'");
      }
    }
    meter.enter(Transfer.Phase.DONE, blob.size());
  }

  private boolean isThere(Descriptor blob) throws InterruptedException {
    var call = Call.head(endpoint.address(reference.repository() + "/blobs/" + blob.digest()));
    try (var answer = endpoint.send(call, scope)) {
      return switch (answer.status()) {
        case Answer.OK -> true;
        case Answer.NOT_FOUND -> false;
        default -> throw answer.failure("look for blob '" + blob.digest() + "'");
      };
    }
  }

  /** Lets the registry take a blob from another of its repositories; not all do. */
  private boolean mounts(Descriptor blob, String sibling) throws InterruptedException {
    var address =
        endpoint.address(
            reference.repository() + "/blobs/uploads/?mount=" + blob.digest() + "&from=" + sibling);
    try (var answer =
        endpoint.send(
            Call.send("POST", address, "", Call.Payload.NONE),
            scope + " repository:" + sibling + ":pull")) {
      return answer.status() == Answer.CREATED;
    }
  }

  /** One try: a new session, and the whole blob into it. */
  private Answer upload(Descriptor blob, Meter meter) throws IOException, InterruptedException {
    URI session;
    var beginning =
        Call.send(
            "POST",
            endpoint.address(reference.repository() + "/blobs/uploads/"),
            "",
            Call.Payload.NONE);
    var begun = endpoint.sendOnce(beginning, scope);
    if (begun.status() != Answer.ACCEPTED) {
      return begun;
    }
    try (begun) {
      session = session(begun, blob.digest());
    }
    var payload = new Call.Payload(blob.size(), () -> open(blob.digest(), meter));
    return endpoint.sendOnce(Call.send("PUT", session, BYTES, payload), scope);
  }

  private URI session(Answer begun, Digest digest) {
    var location = begun.header("Location").orElse("");
    try {
      var address = begun.address().resolve(location);
      if (location.isEmpty() || (endpoint.origin().isSecure() && !Origin.of(address).isSecure())) {
        throw new IllegalArgumentException(location);
      }
      String separator = address.getRawQuery() == null ? "?" : "&";
      return URI.create(address + separator + "digest=" + digest);
    } catch (IllegalArgumentException e) {
      throw new ImageException(
          ImageException.Kind.INVALID,
          "send blob '" + digest + "'",
          "'"
              + endpoint.origin().authority()
              + "' tells no address of https to send it to, but '"
              + location
              + "'",
          "");
    }
  }

  private CountedStream open(Digest digest, Meter meter) {
    try {
      return new CountedStream(new Metered(images.open(digest), meter));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Tells how far it is read. */
  private static final class Metered extends FilterInputStream {
    private final Meter meter;
    private long position;

    Metered(InputStream in, Meter meter) {
      super(in);
      this.meter = meter;
    }

    @Override
    public int read() throws IOException {
      int value = in.read();
      advance(value < 0 ? 0 : 1);
      return value;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int count = in.read(target, offset, length);
      advance(count);
      return count;
    }

    private void advance(int count) {
      position += Math.max(0, count);
      meter.advance(Transfer.Phase.UPLOADING, position);
    }
  }

  // ---- manifest

  private Digest sendManifest(Descriptor target, byte[] document) throws InterruptedException {
    String name =
        reference.tag().orElseGet(() -> reference.digest().map(Digest::value).orElseThrow());
    var address = endpoint.address(reference.repository() + "/manifests/" + name);
    var call = Call.send("PUT", address, target.mediaType(), Call.Payload.of(document));
    try (var answer = endpoint.send(call, scope)) {
      if (answer.status() != Answer.CREATED && answer.status() != Answer.OK) {
        throw answer.failure("send manifest '" + target.digest() + "'");
      }
    }
    return target.digest();
  }
}
