package dev.caisson.oci;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;

/** How a layer is packed, told by its first bytes and not by its label. */
enum Compression {
  NONE("tar"),
  GZIP("tar+gzip"),
  ZSTD("tar+zstd");

  private static final int PEEK = 4;
  private static final int ZSTD_FRAME = 0xFD2FB528;
  private static final int ZSTD_SKIPPABLE = 0x184D2A50;

  private final String label;

  Compression(String label) {
    this.label = label;
  }

  /** The last part of the media type of such layers. */
  String label() {
    return label;
  }

  /** What a media type says, for example "application/vnd.oci.image.layer.v1.tar+gzip". */
  static Compression ofMediaType(String mediaType) {
    if (mediaType.endsWith("zstd")) {
      return ZSTD;
    }
    return mediaType.endsWith("gzip") ? GZIP : NONE;
  }

  /** A stream that is unpacked as it is read. */
  record Unpacked(Compression compression, InputStream stream) {}

  /** Looks at the first bytes of {@code packed} and unpacks accordingly. */
  static Unpacked open(InputStream packed, LayerLimits limits) throws IOException {
    var stream = new PushbackInputStream(packed, PEEK);
    byte[] head = stream.readNBytes(PEEK);
    stream.unread(head);
    Compression compression = ofHead(head);
    return new Unpacked(
        compression,
        switch (compression) {
          case NONE -> stream;
          case GZIP -> new GzipMembers(stream);
          case ZSTD -> {
            var zstd = new ZstdInputStreamNoFinalizer(stream);
            zstd.setLongMax(limits.zstdWindowLog());
            yield zstd;
          }
        });
  }

  /** Reads the first bytes of {@code packed} and tells. */
  static Compression of(InputStream packed) throws IOException {
    return ofHead(packed.readNBytes(PEEK));
  }

  private static Compression ofHead(byte[] head) {
    if (head.length >= 2 && head[0] == 0x1f && head[1] == (byte) 0x8b) {
      return GZIP;
    }
    if (head.length < PEEK) {
      return NONE;
    }
    int magic =
        head[0] & 0xFF | (head[1] & 0xFF) << 8 | (head[2] & 0xFF) << 16 | (head[3] & 0xFF) << 24;
    boolean zstd = magic == ZSTD_FRAME || (magic & ~0xF) == ZSTD_SKIPPABLE;
    return zstd ? ZSTD : NONE;
  }
}
