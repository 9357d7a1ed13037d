package dev.caisson.daemon;

import dev.caisson.daemon.container.Rights;
import dev.caisson.engine.PodException;
import dev.caisson.engine.process.LowLevelRuntimes;
import dev.caisson.keeper.KeeperLink;
import dev.caisson.library.NodeCheck;
import dev.caisson.library.NodeCheck.Item;
import dev.caisson.library.NodeCheck.Outcome;
import dev.caisson.library.NodeInfo;
import dev.caisson.library.Root;
import dev.caisson.oci.Architecture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What this machine and node are and lack. */
final class Machine {
  static final String VERSION = "0.1.0";

  private final Root root;
  private final LowLevelRuntimes runtimes;
  private final Rights rights;
  private final Optional<KeeperLink> keeper;
  private final Optional<String> layerWarning;
  private final List<String> notes;

  Machine(
      Root root,
      LowLevelRuntimes runtimes,
      Rights rights,
      Optional<KeeperLink> keeper,
      Optional<String> layerWarning,
      List<String> notes) {
    this.root = root;
    this.runtimes = runtimes;
    this.rights = rights;
    this.keeper = keeper;
    this.layerWarning = layerWarning;
    this.notes = List.copyOf(notes);
  }

  NodeInfo info(ContainerViews containers, NodeImages images) {
    var all = new ArrayList<>(notes);
    var keeperPid = keeper.map(KeeperLink::keeperPid).orElse(0);
    if (keeperPid == 0) {
      all.add(
          "there is no keeper: exits are told by pidfds, and the death of this daemon costs"
              + " output");
    }
    return new NodeInfo(
        VERSION,
        root.state().toString(),
        root.run().toString(),
        firstLine("/proc/sys/kernel/osrelease"),
        Architecture.own(),
        Runtime.getRuntime().availableProcessors(),
        memory(),
        runtimes.cgroups(),
        chosen(),
        runtimes.installed().stream().map(Path::toString).toList(),
        containers.list().size(),
        (int) containers.running(),
        images.list().size(),
        (int) ProcessHandle.current().pid(),
        keeperPid,
        all);
  }

  private String chosen() {
    try {
      return runtimes.choose("auto").toString();
    } catch (PodException e) {
      return "";
    }
  }

  NodeCheck check() {
    var items = new ArrayList<Item>();
    items.add(runtimeItem());
    items.add(new Item("cgroups", Outcome.OK, runtimes.cgroups() + " hierarchy", ""));
    items.add(
        rights.canRaiseLimits()
            ? new Item("CAP_SYS_RESOURCE", Outcome.OK, "limits can be raised", "")
            : new Item(
                "CAP_SYS_RESOURCE",
                Outcome.LIMITED,
                "missing: resource limits cannot be raised, OOM scores not lowered",
                "run the daemon with this capability"));
    items.add(file("overlay", Path.of("/proc/filesystems"), "overlay", "load module overlay"));
    items.add(
        layerWarning
            .map(warning ->
                new Item(
                    "layers",
                    Outcome.LIMITED,
                    warning,
                    "put the state root on another file system"))
            .orElseGet(() -> new Item("layers", Outcome.OK, "shared by overlay mounts", "")));
    items.add(
        Files.isExecutable(Path.of("/bin/busybox"))
            ? new Item("busybox", Outcome.OK, "builtin/busybox can be made", "")
            : new Item(
                "busybox",
                Outcome.MISSING,
                "builtin/busybox cannot be made",
                "install package busybox-static"));
    items.add(
        keeper.isPresent() && keeper.get().keeperPid() > 0
            ? new Item(
                "keeper",
                Outcome.OK,
                "pid "
                    + keeper.get().keeperPid()
                    + (KeeperLink.isReplacement() ? ", in place of one that was killed" : ""),
                "")
            : new Item(
                "keeper",
                Outcome.LIMITED,
                "none: the daemon's death costs output",
                "start the daemon with caissond"));
    return new NodeCheck(items);
  }

  private Item runtimeItem() {
    try {
      return new Item("low-level runtime", Outcome.OK, runtimes.choose("auto").toString(), "");
    } catch (PodException e) {
      return new Item("low-level runtime", Outcome.MISSING, e.found(), e.advice());
    }
  }

  private static Item file(String name, Path file, String word, String advice) {
    try {
      return Files.readString(file).contains(word)
          ? new Item(name, Outcome.OK, "known to the kernel", "")
          : new Item(name, Outcome.MISSING, "unknown to the kernel", advice);
    } catch (IOException e) {
      return new Item(name, Outcome.MISSING, String.valueOf(e.getMessage()), advice);
    }
  }

  private static String firstLine(String file) {
    try {
      return Files.readString(Path.of(file)).strip();
    } catch (IOException e) {
      return "";
    }
  }

  private static long memory() {
    try {
      for (var line : Files.readAllLines(Path.of("/proc/meminfo"))) {
        if (line.startsWith("MemTotal:")) {
          return Long.parseLong(line.split("\\s+")[1]) * 1024;
        }
      }
    } catch (IOException e) {
      return 0;
    }
    return 0;
  }
}
