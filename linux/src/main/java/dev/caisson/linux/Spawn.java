package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a child process is started with. The child has only the descriptors given here, an empty
 * signal mask and default dispositions; it inherits the calling thread's namespaces and the
 * process's cgroup. Source: posix_spawn(3).
 *
 * @param command program (looked up in PATH when it has no slash) and arguments
 * @param environment its whole environment
 * @param directory its working directory; empty for ours
 * @param fds its descriptors 0, 1, 2 and so on; a missing one of the first three is /dev/null
 * @param newSession make it leader of a session of its own
 */
public record Spawn(
    List<String> command,
    Map<String, String> environment,
    Optional<Path> directory,
    List<Fd> fds,
    boolean newSession) {
  private static final Syscall SPAWNP =
      Syscall.of("posix_spawnp", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
  private static final Syscall ACTIONS_INIT =
      Syscall.of("posix_spawn_file_actions_init", JAVA_INT, ADDRESS);
  private static final Syscall ACTIONS_DESTROY =
      Syscall.of("posix_spawn_file_actions_destroy", JAVA_INT, ADDRESS);
  private static final Syscall ADD_DUP2 =
      Syscall.of("posix_spawn_file_actions_adddup2", JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
  private static final Syscall ADD_OPEN =
      Syscall.of(
          "posix_spawn_file_actions_addopen",
          JAVA_INT,
          ADDRESS,
          JAVA_INT,
          ADDRESS,
          JAVA_INT,
          JAVA_INT);
  private static final Syscall ADD_CLOSE_FROM =
      Syscall.of("posix_spawn_file_actions_addclosefrom_np", JAVA_INT, ADDRESS, JAVA_INT);
  private static final Syscall ADD_CHDIR =
      Syscall.of("posix_spawn_file_actions_addchdir_np", JAVA_INT, ADDRESS, ADDRESS);
  private static final Syscall ATTRIBUTES_INIT =
      Syscall.of("posix_spawnattr_init", JAVA_INT, ADDRESS);
  private static final Syscall ATTRIBUTES_DESTROY =
      Syscall.of("posix_spawnattr_destroy", JAVA_INT, ADDRESS);
  private static final Syscall SET_FLAGS =
      Syscall.of("posix_spawnattr_setflags", JAVA_INT, ADDRESS, JAVA_SHORT);
  private static final Syscall SET_MASK =
      Syscall.of("posix_spawnattr_setsigmask", JAVA_INT, ADDRESS, ADDRESS);
  private static final Syscall SET_DEFAULT =
      Syscall.of("posix_spawnattr_setsigdefault", JAVA_INT, ADDRESS, ADDRESS);

  /**
   * Sizes of the C library's structures (glibc on 64 bits: 80, 336 and 128), with room to spare.
   */
  private static final int STRUCTURE = 512;

  private static final int SIGNAL_SET = 128;
  private static final int SETSIGDEF = 0x04;
  private static final int SETSIGMASK = 0x08;
  private static final int SETSID = 0x80;
  private static final int O_RDWR = 2;
  private static final int STANDARD_FDS = 3;
  private static final byte ALL_SIGNALS = (byte) 0xff;

  /** Copies what could change under it and checks that there is a program. */
  public Spawn {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
    fds = List.copyOf(fds);
    if (command.isEmpty()) {
      throw new IllegalArgumentException("an empty command: name a program");
    }
  }

  /**
   * A child of {@code command} with our environment, our directory and no descriptors but
   * /dev/null.
   */
  public static Spawn of(List<String> command) {
    return new Spawn(command, System.getenv(), Optional.empty(), List.of(), false);
  }

  /** This with other descriptors. */
  public Spawn withFds(List<Fd> fds) {
    return new Spawn(command, environment, directory, fds, newSession);
  }

  /** This with another working directory. */
  public Spawn in(Path directory) {
    return new Spawn(command, environment, Optional.of(directory), fds, newSession);
  }

  /** This with another environment. */
  public Spawn withEnvironment(Map<String, String> environment) {
    return new Spawn(command, environment, directory, fds, newSession);
  }

  /** This as leader of a session of its own. */
  public Spawn inNewSession() {
    return new Spawn(command, environment, directory, fds, true);
  }

  /**
   * Starts it.
   *
   * @throws KernelException ENOENT when the program or directory is missing, EACCES when it cannot
   *     be executed
   */
  public Child start() throws KernelException {
    var moved = new ArrayList<Fd>();
    try (var arena = Arena.ofConfined()) {
      var actions = arena.allocate(STRUCTURE, 16);
      var attributes = arena.allocate(STRUCTURE, 16);
      ACTIONS_INIT.result(actions);
      ATTRIBUTES_INIT.result(attributes);
      try {
        describe(arena, actions, moved);
        attributes(arena, attributes);
        var pid = arena.allocate(JAVA_INT);
        int failure =
            (int)
                SPAWNP.result(
                    pid,
                    arena.allocateFrom(command.getFirst()),
                    actions,
                    attributes,
                    strings(arena, command),
                    strings(
                        arena,
                        environment.entrySet().stream()
                            .map(e -> e.getKey() + "=" + e.getValue())
                            .toList()));
        if (failure != 0) {
          throw new KernelException("run '" + command.getFirst() + "'", SPAWNP.name(), failure);
        }
        return new Child(pid.get(JAVA_INT, 0));
      } finally {
        ACTIONS_DESTROY.result(actions);
        ATTRIBUTES_DESTROY.result(attributes);
      }
    } finally {
      moved.forEach(Fd::close);
    }
  }

  private void describe(Arena arena, MemorySegment actions, List<Fd> moved) throws KernelException {
    for (int i = 0; i < fds.size(); i++) {
      ADD_DUP2.result(actions, outOfTheWay(fds.get(i), moved).number(), i);
    }
    for (int i = fds.size(); i < STANDARD_FDS; i++) {
      ADD_OPEN.result(actions, i, arena.allocateFrom("/dev/null"), O_RDWR, 0);
    }
    ADD_CLOSE_FROM.result(actions, Math.max(STANDARD_FDS, fds.size()));
    if (directory.isPresent()) {
      ADD_CHDIR.result(actions, arena.allocateFrom(directory.get().toString()));
    }
  }

  /** A descriptor whose number is itself a target would be overwritten before its turn. */
  private Fd outOfTheWay(Fd fd, List<Fd> moved) throws KernelException {
    if (fd.number() >= Math.max(STANDARD_FDS, fds.size())) {
      return fd;
    }
    var low = new ArrayList<Fd>();
    try {
      var copy = fd.duplicate();
      while (copy.number() < Math.max(STANDARD_FDS, fds.size())) {
        low.add(copy);
        copy = fd.duplicate();
      }
      moved.add(copy);
      return copy;
    } finally {
      low.forEach(Fd::close);
    }
  }

  private void attributes(Arena arena, MemorySegment attributes) {
    int flags = SETSIGDEF | SETSIGMASK | (newSession ? SETSID : 0);
    SET_FLAGS.result(attributes, (short) flags);
    SET_MASK.result(attributes, arena.allocate(SIGNAL_SET, 8));
    SET_DEFAULT.result(attributes, arena.allocate(SIGNAL_SET, 8).fill(ALL_SIGNALS));
  }

  private static MemorySegment strings(Arena arena, List<String> texts) {
    var array = arena.allocate(ADDRESS, texts.size() + 1L);
    for (int i = 0; i < texts.size(); i++) {
      array.setAtIndex(ADDRESS, i, arena.allocateFrom(texts.get(i)));
    }
    return array;
  }
}
