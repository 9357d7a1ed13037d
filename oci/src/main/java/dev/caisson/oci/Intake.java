package dev.caisson.oci;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.List;

/**
 * An image on its way into the store, from wherever: everything it brings is kept from being pruned
 * until it has its name, or until this is closed or its process ends. For one image; may be used by
 * several threads.
 *
 * <p>Order: small documents and blobs in any order, {@link #unpack}, {@link #name}, close.
 */
public final class Intake implements AutoCloseable {
  private final ContentStore content;
  private final ImageNames names;
  private final LayerStore layers;
  private final Lease blobs;

  Intake(ContentStore content, ImageNames names, LayerStore layers) throws IOException {
    this.content = content;
    this.names = names;
    this.layers = layers;
    this.blobs = content.lease(List.of());
  }

  /** Keeps a blob if it is there and as long as it should be; answers whether it is. */
  public boolean keep(Descriptor blob) throws IOException {
    blobs.extend(List.of(blob.digest().value()));
    return content.has(blob);
  }

  /**
   * Reads a small blob that is there.
   *
   * @throws ImageException {@code NOT_FOUND}
   */
  public byte[] read(Digest digest) {
    return content.read(digest);
  }

  /** Adds a small blob. */
  public void add(byte[] document) throws IOException {
    blobs.extend(List.of(Digest.of(document).value()));
    content.add(new ByteArrayInputStream(document));
  }

  /**
   * Takes up a blob where an earlier try left it, keeping it; waits while somebody else is at the
   * same one, so look afterwards whether it {@link #keep is there} now.
   */
  public PartialBlob partial(Digest digest) throws IOException {
    blobs.extend(List.of(digest.value()));
    return content.partial(digest);
  }

  /** Opens a blob that is there. */
  public InputStream open(Digest digest) throws IOException {
    return Files.newInputStream(content.path(digest));
  }

  /** Where the blobs of layers come from while they are unpacked. */
  public interface Blobs {
    /** Opens one, waiting for it if need be. */
    InputStream open(Descriptor layer) throws IOException;
  }

  /** Hears of the layers that are unpacked. */
  public interface Progress {
    /** From now on this layer's blob is being unpacked. */
    void unpacking(Descriptor layer);

    /** This layer's blob is unpacked, now or before. */
    void unpacked(Descriptor layer);

    /** Hears nothing. */
    static Progress none() {
      return new Progress() {
        @Override
        public void unpacking(Descriptor layer) {}

        @Override
        public void unpacked(Descriptor layer) {}
      };
    }
  }

  /**
   * Unpacks the layers of an image, lowest first.
   *
   * @param label what the image is called in messages
   * @return what is worth telling the user
   * @throws ImageException {@code INVALID} naming layer and offset for a damaged layer, {@code
   *     UNAVAILABLE} without space on the disk
   */
  public List<String> unpack(
      String label, Manifest manifest, ImageConfig config, Blobs source, Progress progress) {
    return new ImageLayers(content, layers, LayerLimits.USUAL)
        .unpack(label, manifest, config, source, progress);
  }

  /** Gives the image, which is there whole, its name; afterwards that keeps it. */
  public void name(String name, Descriptor target) throws IOException {
    names.put(name, target);
  }

  @Override
  public void close() throws IOException {
    blobs.close();
  }
}
