package dev.caisson.daemon;

import dev.caisson.daemon.container.Rights;
import dev.caisson.engine.EventHub;
import dev.caisson.engine.HeldDescriptors;
import dev.caisson.engine.Pods;
import dev.caisson.engine.process.LowLevelRuntimes;
import dev.caisson.engine.process.ProcessSandbox;
import dev.caisson.engine.streams.DescriptorStore;
import dev.caisson.engine.streams.Pump;
import dev.caisson.keeper.KeeperLink;
import dev.caisson.library.Root;
import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Pidfd;
import dev.caisson.linux.UnixSocket;
import dev.caisson.oci.Images;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * caissond: {@code Main --root DIR [--owner PID] [--debug]}. Started by its keeper; takes over what
 * an earlier one left, then serves.
 */
public final class Main {
  private static final String LISTENING = "api/listen";

  private Main() {}

  /** Runs until it is told to end. */
  public static void main(String[] arguments) {
    try {
      run(Options.parse(arguments));
    } catch (IllegalArgumentException e) {
      System.err.println("caissond: " + e.getMessage());
      System.exit(KeeperLink.CANNOT_START);
    } catch (IOException | RuntimeException e) {
      System.err.println("caissond: " + e);
      System.exit(KeeperLink.CANNOT_START);
    }
  }

  /** What the command line says. */
  private record Options(Root root, Optional<Integer> owner) {
    static Options parse(String[] arguments) {
      var root = Root.usual();
      var owner = Optional.<Integer>empty();
      for (int i = 0; i < arguments.length; i++) {
        switch (arguments[i]) {
          case "--root" -> root = Root.at(Path.of(value(arguments, ++i)));
          case "--owner" -> owner = Optional.of(Integer.parseInt(value(arguments, ++i)));
          case "--debug" -> {}
          default -> throw new IllegalArgumentException("unknown option '" + arguments[i] + "'");
        }
      }
      return new Options(root, owner);
    }

    private static String value(String[] arguments, int at) {
      if (at >= arguments.length) {
        throw new IllegalArgumentException("'" + arguments[at - 1] + "' needs a value");
      }
      return arguments[at];
    }
  }

  private static void run(Options options) throws IOException {
    var root = options.root();
    Files.createDirectories(root.state());
    makePrivate(root.run());
    makePrivate(root.state().resolve("containers"));
    makePrivate(root.state().resolve("layers"));
    var keeper = KeeperLink.inherited();
    var exits = new KeeperExits();
    exits.recall(KeeperLink.exitsOnDisk(root.run()));
    var pump = Pump.start();
    var kept = keeper.map(KeptDescriptors::new);
    var succession = keeper.map(link -> new Succession(link, kept.orElseThrow(), exits, pump));
    if (keeper.isPresent()) {
      keeper.get().listen(exits::tell, succession.orElseThrow()::begin);
    } else {
      exits.keeperIsGone();
    }
    Map<String, List<Fd>> held = keeper.isPresent() ? keeper.get().held() : Map.of();
    kept.ifPresent(descriptors -> descriptors.recall(held));
    DescriptorStore store = kept.<DescriptorStore>map(k -> k).orElseGet(DescriptorStore::none);
    int watched = exits.recall(held, store);

    var tasks = root.run().resolve("tasks");
    var hub = new EventHub();
    var history = new EventHistory();
    hub.subscribe(history::add);
    var pods =
        new Pods(
            tasks,
            ProcessSandbox.open(tasks, root.run().resolve("runtime"), Clock.systemUTC()),
            exits,
            store,
            pump,
            hub,
            Clock.systemUTC());
    var heldDescriptors = new HeldDescriptors(held);
    var notes = new ArrayList<>(pods.takeOver(heldDescriptors));
    if (KeeperLink.isReplacement()) {
      notes.add(
          "the keeper was killed and replaced: exits of "
              + watched
              + " processes of before are told by their pidfds, on kernels from 6.15 on");
    }

    var unfinished = new ArrayList<String>();
    var containerStore = ContainerStore.open(root.state().resolve("containers"), unfinished);
    for (var record : containerStore.all()) {
      record.damage().ifPresent(why -> notes.add("container " + record.name() + ": " + why));
    }
    var images = Images.open(root.state());
    notes.addAll(images.troubles());
    var runtimes = LowLevelRuntimes.detect();
    var rights = Rights.own();
    var nodeImages = new NodeImages(images);
    var known = new KnownContainers(containerStore, pods);
    var places = new ContainerPlaces(root.run(), containerStore);
    var streams = new ContainerStreams(known, places, rights);
    var containers =
        new NodeContainers(
            known,
            places,
            streams,
            nodeImages,
            images.layers(),
            pods,
            runtimes,
            rights,
            Departed.open(root.run().resolve("departed")));
    containers.takeOver(unfinished, heldDescriptors);

    var machine = new Machine(root, runtimes, rights, keeper, images.layers().warning(), notes);
    var shutdown = new Shutdown(root, containers, options.owner().isPresent());
    options.owner().ifPresent(shutdown::endWith);
    var registries = new NodeRegistries(images, root);
    var calls =
        new Calls(
            containers,
            streams,
            new ContainerViews(known, places),
            nodeImages,
            registries,
            machine,
            history,
            shutdown);
    var listening = listen(root, held, store);
    succession.ifPresent(Succession::ready);
    new ApiServer(listening, calls, new Failures(known::nameOf), ownUid()).serve();
  }

  /** A directory of ours that others can pass, by names they know, but not list. */
  private static void makePrivate(Path directory) throws IOException {
    Files.createDirectories(directory);
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
  }

  /** The socket an earlier daemon listened on, with whoever waits there, or a new one. */
  private static Fd listen(Root root, Map<String, List<Fd>> held, DescriptorStore store)
      throws IOException {
    var before = held.get(LISTENING);
    if (before != null && Files.exists(root.socket())) {
      return before.getFirst();
    }
    Files.deleteIfExists(root.socket());
    var listening = UnixSocket.listen(root.socket(), UnixSocket.Kind.STREAM);
    store.hold(LISTENING, List.of(listening));
    return listening;
  }

  private static int ownUid() throws IOException {
    return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
  }

  /** The end of daemon and keeper. */
  private record Shutdown(Root root, NodeContainers containers, boolean isPrivate)
      implements Runnable {

    @Override
    public void run() {
      try {
        if (isPrivate) {
          containers.killAll();
        }
        Files.deleteIfExists(root.socket());
      } catch (IOException | RuntimeException e) {
        System.err.println("caissond: end: " + e.getMessage());
      } finally {
        System.exit(KeeperLink.STOP);
      }
    }

    /** Ends when another process does. */
    void endWith(int owner) {
      Thread.ofPlatform()
          .daemon()
          .name("owner")
          .start(() -> {
            try (var pidfd = Pidfd.open(owner).orElse(null)) {
              if (pidfd != null) {
                pidfd.awaitEnd(-1);
              }
            } catch (KernelException e) {
              System.err.println("caissond: watch owner " + owner + ": " + e.getMessage());
            }
            run();
          });
    }
  }
}
