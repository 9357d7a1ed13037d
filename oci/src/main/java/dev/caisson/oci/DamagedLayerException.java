package dev.caisson.oci;

import java.io.IOException;

/** A layer that is cut off, damaged, over a limit, or asks for what must not be done. */
final class DamagedLayerException extends IOException {
  private static final long serialVersionUID = 1L;

  DamagedLayerException(String message) {
    super(message);
  }

  DamagedLayerException(String message, Throwable cause) {
    super(message, cause);
  }
}
