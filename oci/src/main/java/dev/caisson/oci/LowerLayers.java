package dev.caisson.oci;

import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.FileStatus;
import dev.caisson.linux.KernelException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What the layers below the one being unpacked show together, without mounting them.
 *
 * <p>A layer may name a file without its directories: whether one of them is a link, and what mode
 * and owner it has, stands in the layers below. For one thread.
 */
final class LowerLayers implements AutoCloseable {
  private final LayerForm form;
  private final List<DirectoryHandle> topmostFirst;

  /** Paths that the layer being unpacked has deleted so far, without a slash in front. */
  private final Set<String> hidden = new HashSet<>();

  private LowerLayers(LayerForm form, List<DirectoryHandle> topmostFirst) {
    this.form = form;
    this.topmostFirst = topmostFirst;
  }

  static LowerLayers open(LayerForm form, List<Path> topmostFirst) throws KernelException {
    var handles = new ArrayList<DirectoryHandle>();
    var layers = new LowerLayers(form, handles);
    try {
      for (Path path : topmostFirst) {
        handles.add(DirectoryHandle.open(path));
      }
      return layers;
    } catch (KernelException e) {
      layers.close();
      throw e;
    }
  }

  static LowerLayers none() {
    return new LowerLayers(LayerForm.OVERLAY, List.of());
  }

  /** The root's attributes, which those of the topmost layer are. */
  Optional<FileAttributes> root() throws KernelException {
    return topmostFirst.isEmpty()
        ? Optional.empty()
        : Optional.of(FileAttributes.read(topmostFirst.getFirst()));
  }

  void hide(String path) {
    hidden.add(path);
  }

  /** What is done with a file that was found. */
  interface Use<T> {
    T of(DirectoryHandle directory, String name, FileStatus status) throws IOException;
  }

  /**
   * Finds the file at {@code path}, a clean path in which no component is a link, and hands it to
   * {@code use}; empty if there is none.
   */
  <T> Optional<T> find(String path, Use<T> use) throws IOException {
    String[] parts = path.split("/");
    if (isHidden(parts)) {
      return Optional.empty();
    }
    for (DirectoryHandle layer : topmostFirst) {
      switch (findIn(layer, parts, use)) {
        case Result.Found<T>(T value) -> {
          return Optional.of(value);
        }
        case Result.Covered<T> _ -> {
          return Optional.empty();
        }
        case Result.Missing<T> _ -> {}
      }
    }
    return Optional.empty();
  }

  boolean has(String path) throws IOException {
    return find(path, (_, _, _) -> true).isPresent();
  }

  private boolean isHidden(String[] parts) {
    var prefix = new StringBuilder();
    for (String part : parts) {
      prefix.append(prefix.isEmpty() ? "" : "/").append(part);
      if (hidden.contains(prefix.toString())) {
        return true;
      }
    }
    return false;
  }

  /** What one layer says about a path. */
  private sealed interface Result<T> {
    record Found<T>(T value) implements Result<T> {}

    /** It is not there, and layers further down are not to be asked. */
    record Covered<T>() implements Result<T> {}

    record Missing<T>() implements Result<T> {}
  }

  private <T> Result<T> findIn(DirectoryHandle layer, String[] parts, Use<T> use)
      throws IOException {
    boolean opaque = form.isOpaque(layer);
    var here = layer.duplicate();
    try {
      for (int i = 0; i < parts.length; i++) {
        var status = here.find(parts[i]);
        if (status.isEmpty()) {
          return opaque ? new Result.Covered<>() : new Result.Missing<>();
        }
        if (LayerForm.isWhiteout(status.get())) {
          return new Result.Covered<>();
        }
        if (i == parts.length - 1) {
          return new Result.Found<>(use.of(here, parts[i], status.get()));
        }
        if (!status.get().isDirectory()) {
          return new Result.Covered<>();
        }
        var next = here.child(parts[i]);
        here.close();
        here = next;
        opaque = opaque || form.isOpaque(here);
      }
      return new Result.Missing<>();
    } finally {
      here.close();
    }
  }

  @Override
  public void close() {
    topmostFirst.forEach(DirectoryHandle::close);
  }
}
