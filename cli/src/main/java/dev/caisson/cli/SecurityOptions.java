package dev.caisson.cli;

import dev.caisson.library.SecuritySettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a container may do: options of {@code run} and {@code create}. */
final class SecurityOptions {
  private final Option.Texts added;
  private final Option.Texts dropped;
  private final Option.Flag privileged;
  private final Option.Flag readOnly;
  private final Option.Texts security;

  SecurityOptions(Options options) {
    added = options.texts("cap-add", "NAME", "Capability it gets, or ALL");
    dropped = options.texts("cap-drop", "NAME", "Capability it loses, or ALL");
    privileged = options.flag("privileged", "Let it do everything, give it all devices");
    readOnly = options.flag("read-only", "Its root cannot be written");
    security =
        options.texts(
            "security-opt",
            "OPTION",
            "no-new-privileges, seccomp=FILE|unconfined, unmask=PATHS|ALL,"
                + " systempaths=unconfined");
  }

  SecuritySettings settings() {
    boolean noNewPrivileges = false;
    Optional<String> seccomp = Optional.empty();
    var unmasked = new ArrayList<String>();
    for (var text : security.values()) {
      int end = separator(text);
      var name = end < 0 ? text : text.substring(0, end);
      var value = end < 0 ? "" : text.substring(end + 1);
      switch (name) {
        case "no-new-privileges" -> noNewPrivileges = truth(text, value);
        case "seccomp" -> seccomp = Optional.of(profile(text, value));
        case "unmask" -> unmasked.addAll(List.of(value.split(":")));
        case "systempaths" -> {
          if (!value.equals("unconfined")) {
            throw security.invalid(text, "systempaths can only be unconfined");
          }
          unmasked.add("ALL");
        }
        // Neither is applied to any container, so switching it off changes nothing.
        case "apparmor" -> onlyOff(text, value, "unconfined");
        case "label" -> onlyOff(text, value, "disable");
        default ->
            throw security.invalid(
                text, "there are no-new-privileges, seccomp, unmask and systempaths");
      }
    }
    return new SecuritySettings(
        added.values(),
        dropped.values(),
        privileged.on(),
        readOnly.on(),
        noNewPrivileges,
        seccomp,
        unmasked);
  }

  private static int separator(String text) {
    int equals = text.indexOf('=');
    return equals >= 0 ? equals : text.indexOf(':');
  }

  private String profile(String text, String value) {
    if (value.isEmpty()) {
      throw security.invalid(text, "say seccomp=FILE or seccomp=unconfined");
    }
    return value.equals("unconfined") ? value : Path.of(value).toAbsolutePath().toString();
  }

  private boolean truth(String text, String value) {
    return switch (value) {
      case "", "true" -> true;
      case "false" -> false;
      default -> throw security.invalid(text, "say no-new-privileges, or =true, or =false");
    };
  }

  private void onlyOff(String text, String value, String off) {
    if (!value.equals(off)) {
      throw security.invalid(text, "only '" + off + "' is possible");
    }
  }
}
