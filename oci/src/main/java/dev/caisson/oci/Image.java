package dev.caisson.oci;

import dev.caisson.json.Inline;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * An image that is on this node whole.
 *
 * @param name its full name
 * @param target what the name points to
 * @param id digest of its config
 * @param config its config
 * @param layers its unpacked layers in the {@link LayerStore}, lowest first
 * @param bytes size of its layers as they are stored
 */
public record Image(
    String name,
    Descriptor target,
    Digest id,
    ImageConfig config,
    List<ChainId> layers,
    long bytes) {
  /** Where a name keeps what its registry says it means. */
  public static final String DIGEST_ANNOTATION = "dev.caisson.image.digest";

  /**
   * What its name means where it comes from: the digest of the list of platforms, if it was chosen
   * from one.
   */
  public Digest digest() {
    String kept = target.annotation(DIGEST_ANNOTATION);
    return Digest.isDigest(kept) ? new Digest(kept) : target.digest();
  }

  /**
   * Names an unpacked layer together with all below it. Source: OCI image specification, config.md,
   * ChainID.
   */
  @Inline
  public record ChainId(String hex) {
    /** Of each layer, lowest first. */
    static List<ChainId> of(List<Digest> diffIds) {
      var chain = new ArrayList<ChainId>();
      for (var layer : diffIds) {
        chain.add(over(chain, layer));
      }
      return List.copyOf(chain);
    }

    private static ChainId over(List<ChainId> below, Digest layer) {
      return below.isEmpty()
          ? new ChainId(layer.hex())
          : new ChainId(
              Digest.of(
                      ("sha256:" + below.getLast().hex() + " " + layer)
                          .getBytes(StandardCharsets.US_ASCII))
                  .hex());
    }
  }
}
