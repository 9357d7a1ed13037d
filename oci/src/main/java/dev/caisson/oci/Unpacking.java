package dev.caisson.oci;

import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.KernelException;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.List;

/**
 * Unpacks one layer: decompresses on one thread, writes files on the caller's.
 *
 * @param label what the layer is called in messages, for example its digest
 * @param mediaType what its descriptor says it is; a difference is only warned of. "" for nothing
 * @param limits what it may ask for
 */
record Unpacking(String label, String mediaType, LayerLimits limits) {
  /**
   * What came of it.
   *
   * @param diffId digest of the archive without compression
   * @param entries number of entries
   * @param streamBytes length of the archive without compression
   * @param writtenBytes bytes of content on the disk, without holes
   * @param warnings what went less than well
   */
  record Outcome(
      Digest diffId, long entries, long streamBytes, long writtenBytes, List<String> warnings) {
    Outcome {
      warnings = List.copyOf(warnings);
    }
  }

  /** Unpacks into an empty directory that is to be laid over the lower ones. */
  Outcome ontoOverlay(InputStream packed, DirectoryHandle root, LayerForm form, LowerLayers lowers)
      throws IOException {
    return run(packed, warnings -> LayerWriter.ontoOverlay(root, form, lowers, warnings));
  }

  /** Unpacks over the tree of the lower layers. */
  Outcome ontoTree(InputStream packed, DirectoryHandle root) throws IOException {
    return run(packed, warnings -> LayerWriter.ontoTree(root, warnings));
  }

  private interface Opening {
    LayerWriter open(Warnings warnings) throws KernelException;
  }

  private Outcome run(InputStream packed, Opening opening) throws IOException {
    var warnings = new Warnings();
    var hash = Digest.algorithm();
    var counted = new CountedStream(packed);
    try (var writer = opening.open(warnings)) {
      var unpacked = Compression.open(counted, limits);
      warnOfLabel(unpacked.compression(), warnings);
      var archive = unpack(unpacked.stream(), counted, hash, writer);
      return new Outcome(
          Digest.ofHash(hash.digest()),
          archive.entries(),
          archive.position(),
          writer.written(),
          warnings.texts());
    } catch (DamagedLayerException e) {
      throw new DamagedLayerException(
          "unpack layer '"
              + label
              + "': "
              + e.getMessage()
              + " (offset "
              + counted.position()
              + " of the layer as it is stored)",
          e);
    } catch (KernelException e) {
      throw e;
    } catch (IOException e) {
      throw new IOException("unpack layer '" + label + "': " + e.getMessage(), e);
    }
  }

  private void warnOfLabel(Compression found, Warnings warnings) {
    if (!mediaType.isEmpty() && Compression.ofMediaType(mediaType) != found) {
      warnings.once(
          "label", "layer '" + label + "' is labelled '" + mediaType + "' but is " + found.label());
    }
  }

  private TarReader unpack(
      InputStream stream, InputStream origin, MessageDigest hash, LayerWriter writer)
      throws IOException {
    try (var pipe = new ChunkPipe(stream, origin, hash, label)) {
      var archive = new TarReader(pipe, limits);
      writer.writeAll(archive);
      archive.drain();
      return archive;
    }
  }
}
