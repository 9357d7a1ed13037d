package dev.caisson.oci;

import dev.caisson.linux.DeviceNumber;
import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.Errno;
import dev.caisson.linux.FileKind;
import dev.caisson.linux.KernelException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What happens with a layer's marks for deleted files.
 *
 * <p>A mark speaks of what lower layers have, wherever in the archive it stands: files of its own
 * layer are never hidden. Source: OCI image specification, layer.md, "Whiteouts".
 */
sealed interface Whiteouts {
  /** In {@code parent}, the lower layers' {@code name} is deleted. */
  void hide(Parents.Parent parent, String name) throws IOException;

  /** Everything that the lower layers have in {@code parent} is deleted. */
  void hideAll(Parents.Parent parent) throws IOException;

  /** The layer has an entry of its own in {@code parent}. */
  void wrote(Parents.Parent parent, String name) throws IOException;

  /** All entries are there. */
  void finish(DirectoryHandle root) throws IOException;

  /** Marks as overlay reads them, made when all entries are there. */
  final class Marks implements Whiteouts {
    private record Deleted(String parent, String name) {
      String path() {
        return parent.isEmpty() ? name : parent + "/" + name;
      }
    }

    private final LayerForm form;
    private final LowerLayers lowers;
    private final Set<Deleted> deleted = new LinkedHashSet<>();
    private final Set<String> opaque = new LinkedHashSet<>();
    private final List<Deleted> toMake = new ArrayList<>();

    Marks(LayerForm form, LowerLayers lowers) {
      this.form = form;
      this.lowers = lowers;
    }

    @Override
    public void hide(Parents.Parent parent, String name) throws IOException {
      var file = new Deleted(parent.path(), name);
      // A mark without anything below it would show as a device in directories that are not merged.
      if (lowers.has(file.path()) && deleted.add(file)) {
        toMake.add(file);
        lowers.hide(file.path());
      }
    }

    @Override
    public void hideAll(Parents.Parent parent) {
      opaque.add(parent.path());
    }

    @Override
    public void wrote(Parents.Parent parent, String name) {
      // What is there at the end is what the layer wrote.
    }

    @Override
    public void finish(DirectoryHandle root) throws IOException {
      for (Deleted file : toMake) {
        if (isBelowOpaque(file.parent())) {
          continue;
        }
        try (var parent = root.descend(file.parent())) {
          var own = parent.find(file.name());
          if (own.isEmpty()) {
            parent.makeNode(file.name(), FileKind.CHARACTER_DEVICE, 0, DeviceNumber.NONE);
          } else if (own.get().isDirectory()) {
            opaque.add(file.path());
          }
        } catch (KernelException e) {
          ignoreReplaced(e);
        }
      }
      for (String path : opaque) {
        try (var directory = root.descend(path)) {
          directory.setAttribute(form.opaqueKey(), new byte[] {'y'});
        } catch (KernelException e) {
          ignoreReplaced(e);
        }
      }
    }

    /** A directory that became something else later in the archive covers all lower ones anyway. */
    private static void ignoreReplaced(KernelException failure) throws KernelException {
      if (failure.errno() != Errno.ENOTDIR && failure.errno() != Errno.ENOENT) {
        throw failure;
      }
    }

    private boolean isBelowOpaque(String path) {
      if (opaque.contains("")) {
        return true;
      }
      for (int end = path.length(); end > 0; end = path.lastIndexOf('/', end - 1)) {
        if (opaque.contains(path.substring(0, end))) {
          return true;
        }
      }
      return false;
    }
  }

  /** Lower layers lie in the same directory, so what is deleted is removed at once. */
  final class Removals implements Whiteouts {
    /** What this layer wrote: the directory's inode and the name. */
    private final Set<String> written = new HashSet<>();

    @Override
    public void hide(Parents.Parent parent, String name) throws IOException {
      remove(parent.handle(), name);
    }

    @Override
    public void hideAll(Parents.Parent parent) throws IOException {
      removeOthers(parent.handle());
    }

    private void removeOthers(DirectoryHandle directory) throws IOException {
      for (var entry : directory.entries()) {
        remove(directory, entry.name());
      }
    }

    /** Removes what is not this layer's; directories it wrote keep what it wrote in them. */
    private void remove(DirectoryHandle directory, String name) throws IOException {
      if (!written.contains(key(directory, name))) {
        directory.removeTree(name);
        return;
      }
      if (directory.find(name).filter(status -> status.isDirectory()).isPresent()) {
        try (var child = directory.child(name)) {
          removeOthers(child);
        }
      }
    }

    @Override
    public void wrote(Parents.Parent parent, String name) throws IOException {
      written.add(key(parent.handle(), name));
    }

    private static String key(DirectoryHandle directory, String name) throws KernelException {
      return directory.status().inode() + "/" + name;
    }

    @Override
    public void finish(DirectoryHandle root) {
      // All is done already.
    }
  }
}
