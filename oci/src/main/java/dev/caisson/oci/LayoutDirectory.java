package dev.caisson.oci;

import dev.caisson.json.Json;
import dev.caisson.json.JsonException;
import dev.caisson.linux.Undo;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;

/**
 * An OCI layout in a directory that is being written. Files appear whole; those that were made are
 * removed again unless {@link #keep} is called. For one thread. Source: OCI image specification,
 * image-layout.md.
 */
final class LayoutDirectory implements AutoCloseable {
  private static final String INDEX = "index.json";
  private static final String MARK = "oci-layout";

  private final Path directory;
  private final List<Descriptor> manifests;
  private Undo undo = new Undo();

  private LayoutDirectory(Path directory, List<Descriptor> manifests) {
    this.directory = directory;
    this.manifests = manifests;
  }

  /**
   * Opens a directory that is missing, empty, or an OCI layout.
   *
   * @throws ImageException {@code INVALID}
   */
  static LayoutDirectory open(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      var layout = new LayoutDirectory(directory, List.of());
      Files.createDirectories(directory);
      layout.undo.own(() -> Files.deleteIfExists(directory));
      return layout;
    }
    if (!Files.isDirectory(directory)) {
      throw invalid(directory, "it is no directory");
    }
    if (!Files.exists(directory.resolve(MARK))) {
      try (var files = Files.list(directory)) {
        if (files.findAny().isPresent()) {
          throw invalid(directory, "it holds something else than an OCI layout");
        }
      }
      return new LayoutDirectory(directory, List.of());
    }
    try {
      return new LayoutDirectory(
          directory, Json.read(directory.resolve(INDEX), Index.class).manifests());
    } catch (JsonException | IllegalArgumentException e) {
      throw invalid(directory, String.valueOf(e.getMessage()));
    }
  }

  private static ImageException invalid(Path directory, String found) {
    return new ImageException(
        ImageException.Kind.INVALID,
        "save into '" + directory + "'",
        found,
        "name a directory that is empty or not there");
  }

  /** The images it has already. */
  List<Descriptor> manifests() {
    return manifests;
  }

  /** Writes a file; one that is named by its digest and there already stays as it is. */
  void add(String path, long size, InputStream content) throws IOException {
    var file = directory.resolve(path);
    var isBlob = path.startsWith("blobs/");
    if (isBlob && Files.exists(file) && Files.size(file) == size) {
      return;
    }
    makeParents(parent(file));
    var isNew = !Files.exists(file, LinkOption.NOFOLLOW_LINKS);
    var next = file.resolveSibling(file.getFileName() + ".part");
    undo.own(() -> Files.deleteIfExists(next));
    Files.copy(content, next, StandardCopyOption.REPLACE_EXISTING);
    if (isNew) {
      undo.own(() -> Files.deleteIfExists(file));
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private void makeParents(Path wanted) throws IOException {
    if (!Files.isDirectory(wanted)) {
      makeParents(parent(wanted));
      Files.createDirectory(wanted);
      undo.own(() -> Files.deleteIfExists(wanted));
    }
  }

  private static Path parent(Path file) {
    return Objects.requireNonNull(file.toAbsolutePath().getParent(), "only / has no parent");
  }

  /** All is written. */
  void keep() {
    undo = new Undo();
  }

  @Override
  public void close() throws IOException {
    undo.close();
  }
}
