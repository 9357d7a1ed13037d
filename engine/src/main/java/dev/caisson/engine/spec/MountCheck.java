package dev.caisson.engine.spec;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Checks {@code mounts}. Source: runtime specification, config.md, Mounts. */
final class MountCheck {
  /** Options that are not the file system's. Source: the chapter's table. */
  private static final Set<String> OPTIONS =
      Set.of(
          "async",
          "atime",
          "bind",
          "defaults",
          "dev",
          "diratime",
          "dirsync",
          "exec",
          "idmap",
          "iversion",
          "lazytime",
          "loud",
          "mand",
          "noatime",
          "nodev",
          "nodiratime",
          "noexec",
          "noiversion",
          "nolazytime",
          "nomand",
          "norelatime",
          "nostrictatime",
          "nosuid",
          "nosymfollow",
          "private",
          "ratime",
          "rbind",
          "rdev",
          "rdiratime",
          "relatime",
          "remount",
          "rexec",
          "ridmap",
          "rnoatime",
          "rnodev",
          "rnodiratime",
          "rnoexec",
          "rnorelatime",
          "rnostrictatime",
          "rnosuid",
          "rnosymfollow",
          "ro",
          "rprivate",
          "rrelatime",
          "rro",
          "rrw",
          "rshared",
          "rslave",
          "rstrictatime",
          "rsuid",
          "rsymfollow",
          "runbindable",
          "rw",
          "shared",
          "silent",
          "slave",
          "strictatime",
          "suid",
          "symfollow",
          "sync",
          "tmpcopyup",
          "unbindable");

  private static final Pattern SIZE = Pattern.compile("\\d+[kKmMgG%]?");
  private static final Pattern MODE = Pattern.compile("[0-7]{1,4}");
  private static final Pattern NUMBER = Pattern.compile("\\d+");

  private MountCheck() {}

  static void check(List<Mount> mounts, Linux linux, Findings findings) {
    var seen = new HashMap<Path, Integer>();
    for (int i = 0; i < mounts.size(); i++) {
      var mount = mounts.get(i);
      var path = "mounts[" + i + "]";
      if (findings.given(path + ".destination", mount.destination(), "an absolute path")) {
        if (!mount.destination().startsWith("/")) {
          findings.warning(
              path + ".destination", "'" + mount.destination() + "' is relative: taken from /");
        }
        var before = seen.put(Path.of("/", mount.destination()).normalize(), i);
        if (before != null) {
          findings.warning(
              path + ".destination",
              "'" + mount.destination() + "' hides what mounts[" + before + "] mounts there");
        }
      }
      source(mount, path, findings);
      options(mount, path, findings);
      mappings(mount, path, linux, findings);
    }
  }

  private static void source(Mount mount, String path, Findings findings) {
    var source = mount.source().orElse("");
    if (mount.isBind()) {
      findings.given(path + ".source", source, "the file or directory to bind");
      return;
    }
    findings.plain(path + ".source", source);
    if (!mount.options().contains("remount")) {
      findings.given(
          path + ".type", mount.type().orElse(""), "a file system, or the option bind beside it");
    }
  }

  private static void options(Mount mount, String path, Findings findings) {
    for (int i = 0; i < mount.options().size(); i++) {
      var option = mount.options().get(i);
      var here = path + ".options[" + i + "]";
      if (!findings.given(here, option, "an option of mount(8)")) {
        continue;
      }
      // Given to the file system as one text, it would not know ro, or worse: pass it over.
      if (option.contains(",") && List.of(option.split(",")).stream().anyMatch(OPTIONS::contains)) {
        findings.wrong(here, option, "one option in each entry");
      } else if (mount.isBind() && !OPTIONS.contains(option)) {
        findings.warning(here, "'" + option + "' means nothing for a bind: the kernel ignores it");
      } else if (mount.type().filter("tmpfs"::equals).isPresent()) {
        memory(option, here, findings);
      }
    }
  }

  /** Options of tmpfs. Source: tmpfs(5). */
  private static void memory(String option, String path, Findings findings) {
    int equals = option.indexOf('=');
    if (equals < 0) {
      return;
    }
    var value = option.substring(equals + 1);
    switch (option.substring(0, equals)) {
      case "size", "nr_blocks", "nr_inodes" ->
          form(SIZE, value, path, option, "a number with or without k, m, g", findings);
      case "mode" -> form(MODE, value, path, option, "octal digits such as 1777", findings);
      case "uid", "gid" -> form(NUMBER, value, path, option, "a number", findings);
      default -> {}
    }
  }

  private static void form(
      Pattern form, String value, String path, String option, String wanted, Findings findings) {
    if (!form.matcher(value).matches()) {
      findings.wrong(path, option, wanted);
    }
  }

  private static void mappings(Mount mount, String path, Linux linux, Findings findings) {
    LinuxCheck.mappings(mount.uidMappings(), path + ".uidMappings", findings);
    LinuxCheck.mappings(mount.gidMappings(), path + ".gidMappings", findings);
    if (mount.uidMappings().isEmpty() != mount.gidMappings().isEmpty()) {
      findings.error(
          path + (mount.uidMappings().isEmpty() ? ".uidMappings" : ".gidMappings"),
          "missing, wanted mappings of users and groups together");
    }
    int asked = Math.max(mount.options().indexOf("idmap"), mount.options().indexOf("ridmap"));
    if (asked >= 0 && mount.uidMappings().isEmpty() && !linux.hasNamespace("user")) {
      findings.wrong(
          path + ".options[" + asked + "]",
          mount.options().get(asked),
          "uidMappings beside it, or a namespace of type user");
    }
  }
}
