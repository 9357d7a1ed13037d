package dev.caisson.library;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The images of a node. An image is named by a reference, or by its id or an unambiguous beginning
 * of it.
 */
public interface Images {

  /**
   * Gets an image from its registry and unpacks it, with the logins that docker or podman keep for
   * the user of this program. What has come when a pull ends early is used by the next one.
   */
  Pulled pull(PullSettings settings, Consumer<TransferProgress> progress);

  /**
   * What came of a {@link #pull}.
   *
   * @param name full name of the image
   * @param id its id
   * @param digest what the name means at the registry
   * @param isNew whether the name meant something else here before, or nothing
   * @param warnings what went less than well
   */
  record Pulled(String name, String id, String digest, boolean isNew, List<String> warnings) {}

  /** Sends an image to the registry its name tells. Returns the digest it has there. */
  String push(PushSettings settings, Consumer<TransferProgress> progress);

  /** All image names. */
  List<ImageSummary> list();

  /** Everything known of an image: descriptor, platform, config, layers; as a JSON tree. */
  Map<String, Object> inspect(String image);

  /** Gives an image a further name. */
  void tag(String image, String name);

  /**
   * Removes a name, and the image with its last name. Returns what was removed: names, then
   * digests.
   *
   * @param force also when a container that has ended uses it, and all names when given an id
   */
  List<String> remove(String image, boolean force);

  /**
   * Removes what no container uses: unnamed content, or with {@code all} every image that no
   * container uses. Returns what was removed and the bytes given back.
   */
  Pruned prune(boolean all);

  /** What {@link #prune} removed. */
  record Pruned(List<String> removed, long bytes) {}

  /** Reads images from an OCI layout or docker archive (tar, also compressed). */
  Loaded load(InputStream archive);

  /** Reads images from an OCI layout that lies in a directory of this machine. */
  Loaded loadLayout(Path directory);

  /**
   * What was loaded.
   *
   * @param names of an image without a name its digest
   * @param warnings what went less than well
   */
  record Loaded(List<String> names, List<String> warnings) {}

  /** Writes images as one archive. */
  void save(List<String> images, ArchiveFormat format, OutputStream archive);

  /**
   * Writes images as an OCI layout into a directory of this machine. It may be missing, empty, or
   * such a layout, whose other images stay.
   */
  void saveLayout(List<String> images, Path directory);

  /** Formats of {@link #save}. */
  enum ArchiveFormat {
    OCI,
    DOCKER
  }

  /**
   * What to pull.
   *
   * @param reference name of the image
   * @param platform {@code os/arch[/variant]}; empty for this machine's
   * @param insecure allow plain http and unknown certificates (loopback always may)
   */
  record PullSettings(String reference, Optional<String> platform, boolean insecure) {
    /** The usual pull. */
    public static PullSettings of(String reference) {
      return new PullSettings(reference, Optional.empty(), false);
    }
  }

  /** What to push, as in {@link PullSettings}. */
  record PushSettings(String reference, boolean insecure) {}
}
