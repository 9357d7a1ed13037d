package dev.caisson.library;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The fields of a {@code --mount}, each at most once. */
final class MountFields {
  private static final Set<String> PROPAGATIONS =
      Set.of("shared", "rshared", "slave", "rslave", "private", "rprivate");

  private final String text;
  private final Set<String> seen = new HashSet<>();
  private final List<String> bindOptions = new ArrayList<>();
  private final List<String> tmpfsOptions = new ArrayList<>();
  private String type = "";
  private String source = "";
  private String destination = "";
  private boolean readonly;
  private boolean createSource;

  MountFields(String text) {
    this.text = text;
  }

  void set(String name, Optional<String> value) {
    var known = canonical(name);
    if (!seen.add(known)) {
      throw bad("'" + known + "' is there twice");
    }
    switch (known) {
      case "type" -> type = value(known, value);
      case "source" -> source = value(known, value);
      case "destination" -> destination = value(known, value);
      case "readonly" -> readonly = truth(known, value);
      case "rw" -> readonly = !truth(known, value);
      case "bind-create-src" -> createSource = truth(known, value);
      case "bind-propagation" -> bindOptions.add(propagation(value(known, value)));
      case "bind-nonrecursive" -> bindOptions.add(truth(known, value) ? "bind" : "rbind");
      case "bind-recursive" -> recursive(value(known, value));
      case "tmpfs-size" -> tmpfsOptions.add("size=" + size(value(known, value)));
      case "tmpfs-mode" -> tmpfsOptions.add("mode=" + mode(value(known, value)));
      case "consistency" -> value(known, value); // of file sharing with a desktop, nothing here
      default -> throw bad("unknown field '" + name + "'");
    }
  }

  private static String canonical(String name) {
    return switch (name) {
      case "src" -> "source";
      case "dst", "target" -> "destination";
      case "ro" -> "readonly";
      default -> name;
    };
  }

  MountSettings settings() {
    if (!seen.contains("destination")) {
      throw bad("no destination: say dst=/path");
    }
    VolumeSpecs.destination("mount", text, destination);
    return switch (type) {
      case "bind" -> bind();
      case "tmpfs" -> tmpfs();
      case "" -> throw bad("no type: say type=bind or type=tmpfs");
      default -> throw bad("type '" + type + "' is not there: say bind or tmpfs");
    };
  }

  private MountSettings bind() {
    if (!source.startsWith("/")) {
      throw bad(
          source.isEmpty()
              ? "no source: say src=/path"
              : "the source '" + source + "' is not an absolute path");
    }
    if (!tmpfsOptions.isEmpty()) {
      throw bad("tmpfs-… fields are for type=tmpfs");
    }
    return new MountSettings(
        MountSettings.Kind.BIND, source, destination, withAccess(bindOptions), createSource);
  }

  private MountSettings tmpfs() {
    if (!source.isEmpty()) {
      throw bad("type=tmpfs has no source");
    }
    if (!bindOptions.isEmpty() || createSource) {
      throw bad("bind-… fields are for type=bind");
    }
    return new MountSettings(
        MountSettings.Kind.TMPFS, "", destination, withAccess(tmpfsOptions), false);
  }

  private List<String> withAccess(List<String> options) {
    if (!readonly) {
      return options;
    }
    var all = new ArrayList<String>();
    all.add("ro");
    all.addAll(options);
    return all;
  }

  private void recursive(String value) {
    switch (value) {
      case "enabled", "writable" -> bindOptions.add("rbind");
      case "disabled" -> bindOptions.add("bind");
      default -> throw bad("bind-recursive is enabled, writable or disabled");
    }
  }

  private String propagation(String value) {
    if (!PROPAGATIONS.contains(value)) {
      throw bad("bind-propagation '" + value + "': say one of rprivate, rslave, rshared");
    }
    return value;
  }

  private long size(String value) {
    try {
      return ByteSizes.parse(value);
    } catch (IllegalArgumentException e) {
      throw bad("tmpfs-size: " + e.getMessage());
    }
  }

  private String mode(String value) {
    boolean octal = !value.isEmpty() && value.length() <= 5;
    for (int i = 0; i < value.length(); i++) {
      octal &= value.charAt(i) >= '0' && value.charAt(i) <= '7';
    }
    if (!octal) {
      throw bad("tmpfs-mode '" + value + "': say an octal number such as 1777");
    }
    return value;
  }

  private boolean truth(String name, Optional<String> value) {
    return switch (value.orElse("true")) {
      case "true", "1" -> true;
      case "false", "0" -> false;
      default -> throw bad("'" + name + "' is true or false, not '" + value.get() + "'");
    };
  }

  private String value(String name, Optional<String> value) {
    if (value.isEmpty() || value.get().isEmpty()) {
      throw bad("'" + name + "' needs a value");
    }
    return value.get();
  }

  private IllegalArgumentException bad(String why) {
    return VolumeSpecs.bad("mount", text, why);
  }
}
