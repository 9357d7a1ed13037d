package dev.caisson.oci;

import dev.caisson.linux.DeviceNumber;
import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.Errno;
import dev.caisson.linux.FileKind;
import dev.caisson.linux.FileStatus;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Overlay;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * How unpacked layers lie on the disk, which depends on what the file system and our rights allow.
 */
enum LayerForm {
  /** One directory for each layer, with overlay's marks as a privileged mount reads them. */
  OVERLAY("trusted.overlay."),
  /** The same with the marks that a mount in a user namespace reads. */
  USER_OVERLAY("user.overlay."),
  /** A whole tree for each layer with all below it; works everywhere and takes more space. */
  COPIED("");

  private final String prefix;

  LayerForm(String prefix) {
    this.prefix = prefix;
  }

  /** The attribute of a directory that hides what lower layers have in it; its value is "y". */
  String opaqueKey() {
    return prefix + "opaque";
  }

  boolean isOverlay() {
    return this != COPIED;
  }

  /** Options that a mount of such layers needs. */
  Set<String> mountOptions() {
    return this == USER_OVERLAY ? Set.of("userxattr") : Set.of();
  }

  /** Whether the file is overlay's mark for one that was deleted. */
  static boolean isWhiteout(FileStatus status) {
    return status.kind() == FileKind.CHARACTER_DEVICE && status.device().equals(DeviceNumber.NONE);
  }

  boolean isOpaque(DirectoryHandle directory) throws KernelException {
    return isOverlay()
        && directory.attribute(opaqueKey()).filter(v -> v.length == 1 && v[0] == 'y').isPresent();
  }

  /**
   * Finds the first form that works in a directory by trying it: marks are made, laid under a
   * writable directory and read through the mount.
   */
  static LayerForm detect(Path directory) throws IOException {
    String name = "probe-" + UUID.randomUUID();
    try (var parent = DirectoryHandle.open(directory)) {
      for (LayerForm form : List.of(OVERLAY, USER_OVERLAY)) {
        parent.makeDirectory(name, 0700);
        try {
          if (form.works(parent, name, directory.resolve(name))) {
            return form;
          }
        } catch (KernelException e) {
          // This is the answer: marks or mount are refused. Anything but a refusal is a failure.
          if (!isRefusal(e.errno())) {
            throw e;
          }
        } finally {
          parent.removeTree(name);
        }
      }
    }
    return COPIED;
  }

  private static boolean isRefusal(Errno errno) {
    return switch (errno) {
      case EPERM, EACCES, EINVAL, EOPNOTSUPP, ENODEV, ENOSYS, ELOOP, EXDEV -> true;
      default -> false;
    };
  }

  private boolean works(DirectoryHandle parent, String name, Path path) throws IOException {
    try (var place = parent.child(name)) {
      for (String each : List.of("lower", "marks", "upper", "work", "merged")) {
        place.makeDirectory(each, 0755);
      }
      place.makeDirectories("lower/opaque/hidden", 0755).close();
      place.makeDirectories("lower/deleted", 0755).close();
      place.makeDirectories("marks/opaque", 0755).close();
      try (var marks = place.child("marks")) {
        marks.makeNode("deleted", FileKind.CHARACTER_DEVICE, 0, DeviceNumber.NONE);
        marks.setAttribute("opaque", opaqueKey(), new byte[] {'y'});
      }
      var overlay =
          new Overlay(
              List.of(path.resolve("marks"), path.resolve("lower")),
              Optional.of(new Overlay.Writable(path.resolve("upper"), path.resolve("work"))),
              mountOptions());
      try (var mount = overlay.mount(path.resolve("merged"), Set.of());
          var merged = DirectoryHandle.open(mount.target())) {
        merged.makeDirectory("written", 0755);
        try (var opaque = merged.child("opaque")) {
          return merged.find("deleted").isEmpty() && opaque.find("hidden").isEmpty();
        }
      }
    }
  }
}
