package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A control group: one directory in each mounted tree, all with the same path.
 *
 * <p>Runtimes may make it in some trees only, so every call looks at the directories that are
 * there. A group of the unified tree and those of the legacy ones are treated alike. Errors name
 * the file. Source: the kernel's cgroup-v1 and cgroup-v2 documents.
 */
public final class Cgroup {
  private static final int SIGKILL = 9;
  private static final long PAUSE_MILLIS = 2;
  private static final Duration FREEZING = Duration.ofSeconds(10);
  private static final Duration REMOVING = Duration.ofSeconds(5);
  private static final int CREATIONS = 1000;

  private static final Syscall KILL = Syscall.of("kill", JAVA_INT, JAVA_INT, JAVA_INT);

  private final CgroupMounts mounts;
  private final String path;

  Cgroup(CgroupMounts mounts, String path) {
    if (!path.startsWith("/") || (path + "/").contains("/../")) {
      throw new IllegalArgumentException(
          "control group '" + path + "': must start with '/' and go without '..'");
    }
    this.mounts = mounts;
    this.path = path;
  }

  /** Its path, starting with "/". */
  public String path() {
    return path;
  }

  /** A group below this one. */
  public Cgroup child(String name) {
    return new Cgroup(mounts, path.equals("/") ? "/" + name : path + "/" + name);
  }

  /** Whether it exists in any tree. */
  public boolean exists() {
    return !directories().isEmpty();
  }

  /** Its existing directories, one in each tree that has it. */
  public List<Path> directories() {
    return mounts.hierarchies().stream()
        .map(h -> h.directory(path))
        .filter(Files::isDirectory)
        .toList();
  }

  /**
   * The directory where a controller's files are or would be; the unified one for files such as
   * "cgroup.procs" if {@code controller} is "".
   */
  public Optional<Path> directory(String controller) {
    var hierarchy = controller.isEmpty() ? mounts.unified() : mounts.withController(controller);
    return hierarchy.map(h -> h.directory(path));
  }

  /** Whether a controller's files are those of the first version. */
  public boolean isLegacy(String controller) {
    return mounts.withController(controller).filter(h -> !h.unified()).isPresent();
  }

  /**
   * A control file, for example {@code file("memory", "memory.max")}; empty if no tree has the
   * controller. The file need not exist.
   */
  public Optional<ControlFile> file(String controller, String name) {
    return directory(controller).map(d -> new ControlFile(d.resolve(name)));
  }

  /** The group above this one; empty for the topmost. */
  public Optional<Cgroup> parent() {
    int end = path.lastIndexOf('/');
    return path.equals("/")
        ? Optional.empty()
        : Optional.of(new Cgroup(mounts, end == 0 ? "/" : path.substring(0, end)));
  }

  /**
   * Makes the group, and those above it, in every tree; gives those above it all controllers that
   * the unified tree has. Harmless if it exists. Groups above it that are removed meanwhile, since
   * they were empty, are made again; once this returns they are not.
   */
  public void create() throws IOException {
    for (CgroupHierarchy hierarchy : mounts.hierarchies()) {
      int attempt = 1;
      while (!tryCreate(hierarchy)) {
        if (++attempt > CREATIONS) {
          throw new IOException(
              "make control group '"
                  + path
                  + "' in '"
                  + hierarchy.mountPoint()
                  + "': a group above it was removed "
                  + CREATIONS
                  + " times meanwhile; is the tree still mounted?");
        }
      }
    }
  }

  /** False when a group above it was removed meanwhile, and perhaps made again by others. */
  private boolean tryCreate(CgroupHierarchy hierarchy) throws IOException {
    boolean cpuset = hierarchy.controllers().contains("cpuset") && !hierarchy.unified();
    Path directory = hierarchy.mountPoint();
    try {
      for (Path name : hierarchy.mountPoint().relativize(hierarchy.directory(path))) {
        if (name.toString().isEmpty()) {
          continue;
        }
        if (hierarchy.unified()) {
          enableControllers(directory);
        }
        directory = directory.resolve(name);
        if (!Files.isDirectory(directory)) {
          makeDirectory(directory);
        }
        if (cpuset && !inheritCpuset(directory)) {
          return false;
        }
      }
      return true;
    } catch (NoSuchFileException e) {
      return false;
    } catch (KernelException e) {
      return switch (e.errno()) {
        case ENOENT, ENODEV -> false;
        default -> throw e;
      };
    }
  }

  private static void makeDirectory(Path directory) throws IOException {
    try {
      Files.createDirectory(directory);
    } catch (FileAlreadyExistsException e) {
      // Somebody else made it just now.
      return;
    }
  }

  private static void enableControllers(Path directory) throws IOException {
    var subtree = new ControlFile(directory.resolve("cgroup.subtree_control"));
    var offered = new ControlFile(directory.resolve("cgroup.controllers")).read();
    var enabled = Set.of(subtree.read().split(" "));
    for (String controller : offered.split(" ")) {
      if (!controller.isEmpty() && !enabled.contains(controller)) {
        enable(subtree, controller);
      }
    }
  }

  private static void enable(ControlFile subtree, String controller) throws IOException {
    try {
      subtree.write("+" + controller);
    } catch (KernelException e) {
      switch (e.errno()) {
        // Held back by processes in the group itself, or by realtime processes: the group is made
        // all the same, and what needs the controller reports its missing file.
        case EBUSY, EINVAL, EOPNOTSUPP, ENOENT -> {}
        default -> throw e;
      }
    }
  }

  /**
   * A new legacy cpuset is empty, and nothing can run in it until it has processors and memory.
   *
   * @return false when the group above it has none either: somebody has made it this moment
   */
  private static boolean inheritCpuset(Path directory) throws IOException {
    for (String name : List.of("cpuset.cpus", "cpuset.mems")) {
      var own = new ControlFile(directory.resolve(name));
      if (own.find().filter(String::isEmpty).isPresent()) {
        var above = new ControlFile(directory.resolveSibling(name)).read();
        if (above.isEmpty()) {
          return false;
        }
        own.write(above);
      }
    }
    return true;
  }

  /** Puts a process, with all its threads, into the group in every tree that has it. */
  public void add(long pid) throws IOException {
    for (Path directory : directories()) {
      new ControlFile(directory.resolve("cgroup.procs")).write(Long.toString(pid));
    }
  }

  /** The processes in this group, without those in groups below. */
  public Set<Long> processes() throws IOException {
    var pids = new TreeSet<Long>();
    for (Path directory : directories()) {
      readProcesses(directory, pids);
    }
    return pids;
  }

  /** The processes in this group and all below it. */
  public Set<Long> allProcesses() throws IOException {
    var pids = new TreeSet<Long>();
    for (Path directory : directories()) {
      for (Path each : subtree(directory)) {
        readProcesses(each, pids);
      }
    }
    return pids;
  }

  private static void readProcesses(Path directory, Set<Long> pids) throws IOException {
    var text = new ControlFile(directory.resolve("cgroup.procs")).find().orElse("");
    // Processes of another pid namespace show as 0.
    text.lines().map(Long::valueOf).filter(pid -> pid != 0).forEach(pids::add);
  }

  /** The directory and all below it, parents first; those that vanish meanwhile are left out. */
  private static List<Path> subtree(Path directory) throws IOException {
    var found = new ArrayList<Path>();
    found.add(directory);
    for (int i = 0; i < found.size(); i++) {
      try (DirectoryStream<Path> children =
          Files.newDirectoryStream(found.get(i), Files::isDirectory)) {
        children.forEach(found::add);
      } catch (NoSuchFileException | NotDirectoryException e) {
        // Removed by somebody else: then there is nothing below it either.
        continue;
      }
    }
    return found;
  }

  /**
   * Stops all processes of this group and below, and waits until they have stopped. The processes
   * do not notice. Undone by {@link #thaw}.
   *
   * @throws IOException if there is no freezer for this group, or after ten seconds in which the
   *     kernel could not stop them all
   */
  public void freeze() throws IOException {
    var freezer = freezer();
    freezer.set(true);
    for (var deadline = deadline(FREEZING); !freezer.isFrozen(); ) {
      if (System.nanoTime() - deadline > 0) {
        throw new IOException(
            "freeze control group '"
                + path
                + "': not frozen after "
                + FREEZING.toSeconds()
                + " s, some process does not stop; its processes are "
                + allProcesses());
      }
      pause("freezing");
      freezer.again();
    }
  }

  /** Lets the processes go on; harmless if they were not stopped. */
  public void thaw() throws IOException {
    freezer().set(false);
  }

  /** Whether the group is frozen, by itself or by one above it. */
  public boolean isFrozen() throws IOException {
    return freezer().isFrozen();
  }

  private Freezer freezer() throws IOException {
    return findFreezer()
        .orElseThrow(() ->
            new IOException(
                "control group '" + path + "' does not exist in a tree that can freeze"));
  }

  private Optional<Freezer> findFreezer() {
    // Legacy first: on a hybrid machine the runtimes put processes there.
    var legacy = directory("freezer").map(d -> d.resolve("freezer.state"));
    if (legacy.filter(Files::exists).isPresent()) {
      return Optional.of(new LegacyFreezer(new ControlFile(legacy.get())));
    }
    return directory("")
        .filter(d -> Files.exists(d.resolve("cgroup.freeze")))
        .map(UnifiedFreezer::new);
  }

  /** The two ways to stop a group. */
  private sealed interface Freezer {
    void set(boolean frozen) throws IOException;

    boolean isFrozen() throws IOException;

    /** Pushes a freeze that has not come to its end. */
    void again() throws IOException;
  }

  private record LegacyFreezer(ControlFile state) implements Freezer {
    @Override
    public void set(boolean frozen) throws IOException {
      state.write(frozen ? "FROZEN" : "THAWED");
    }

    @Override
    public boolean isFrozen() throws IOException {
      return state.read().equals("FROZEN");
    }

    @Override
    public void again() throws IOException {
      // A process that forks at the wrong moment is missed until the state is written once more.
      set(true);
    }
  }

  private record UnifiedFreezer(Path directory) implements Freezer {
    @Override
    public void set(boolean frozen) throws IOException {
      new ControlFile(directory.resolve("cgroup.freeze")).write(frozen ? "1" : "0");
    }

    @Override
    public boolean isFrozen() throws IOException {
      return new ControlFile(directory.resolve("cgroup.events"))
          .read()
          .lines()
          .anyMatch("frozen 1"::equals);
    }

    @Override
    public void again() {}
  }

  /**
   * Kills all processes of this group and below with SIGKILL and waits until they are gone from it;
   * harmless if there are none. Processes cannot get away by forking.
   *
   * @throws IOException after {@code patience}, with the pids that are left
   */
  public void kill(Duration patience) throws IOException {
    var deadline = deadline(patience);
    // Mostly nothing is left, and looking through all trees takes its time.
    for (var left = allProcesses(); !left.isEmpty(); left = allProcesses()) {
      if (System.nanoTime() - deadline > 0) {
        throw new IOException(
            "kill control group '"
                + path
                + "': processes "
                + left
                + " are left after "
                + patience.toMillis()
                + " ms; they may wait for a disk or a network file system");
      }
      killOnce();
      pause("killing");
    }
  }

  private void killOnce() throws IOException {
    var unified = directory("").map(d -> d.resolve("cgroup.kill"));
    if (unified.filter(Files::exists).isPresent()) {
      new ControlFile(unified.get()).write("1");
    }
    var freezer = findFreezer();
    if (freezer.isPresent()) {
      freezer.get().set(true);
    }
    try {
      for (long pid : allProcesses()) {
        KILL.attempt((int) pid, SIGKILL);
      }
    } finally {
      if (freezer.isPresent()) {
        freezer.get().set(false);
      }
    }
  }

  /**
   * Removes the group and all groups below it from every tree; harmless if there is none.
   *
   * @throws IOException if processes are in it, with their pids
   */
  public void remove() throws IOException {
    var deadline = deadline(REMOVING);
    for (Path directory : directories()) {
      for (Path each : subtree(directory).reversed()) {
        while (!tryRemove(each)) {
          var left = allProcesses();
          if (!left.isEmpty() || System.nanoTime() - deadline > 0) {
            throw new IOException(
                "remove control group '" + each + "': it is busy, processes in it: " + left);
          }
          pause("removing");
        }
      }
    }
  }

  /** Removes the group from every tree where no process and no group is in it. */
  public void removeIfEmpty() throws IOException {
    for (Path directory : directories()) {
      tryRemove(directory);
    }
  }

  /** The kernel may call a group busy for a moment after its last process has gone. */
  private static boolean tryRemove(Path directory) throws IOException {
    try (var parent = DirectoryHandle.open(directory.resolve(".."))) {
      parent.removeEmptyDirectory(directory.getName(directory.getNameCount() - 1).toString());
      return true;
    } catch (KernelException e) {
      return switch (e.errno()) {
        case ENOENT -> true;
        case EBUSY -> false;
        default -> throw e;
      };
    }
  }

  private static long deadline(Duration patience) {
    return System.nanoTime() + patience.toNanos();
  }

  private void pause(String doing) throws InterruptedIOException {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException(
          "interrupted while " + doing + " control group '" + path + "'");
    }
  }

  @Override
  public String toString() {
    return path;
  }
}
