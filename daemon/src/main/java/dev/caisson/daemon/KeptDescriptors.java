package dev.caisson.daemon;

import dev.caisson.engine.streams.DescriptorStore;
import dev.caisson.keeper.KeeperLink;
import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Pipe;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Descriptors held by the keeper, and what they are, so that another one can be given them. */
final class KeptDescriptors implements DescriptorStore {
  private final KeeperLink keeper;
  private final Map<String, List<Fd>> held = new HashMap<>(); // guarded by this

  KeptDescriptors(KeeperLink keeper) {
    this.keeper = keeper;
  }

  /** Notes what the keeper holds from before. */
  synchronized void recall(Map<String, List<Fd>> before) {
    held.putAll(before);
  }

  @Override
  public synchronized void hold(String name, List<Fd> descriptors) throws IOException {
    keeper.hold(name, descriptors);
    held.put(name, List.copyOf(descriptors));
  }

  @Override
  public synchronized void drop(String name) throws IOException {
    keeper.drop(name);
    held.remove(name);
  }

  /**
   * Gives everything to another keeper. Of what is closed here already, a pipe that has ended
   * stands in its place, so that the others keep theirs.
   */
  synchronized void giveTo(KeeperLink next) throws IOException {
    try (var ended = ended()) {
      for (var entry : held.entrySet()) {
        if (entry.getValue().stream().anyMatch(Fd::isOpen)) {
          next.hold(
              entry.getKey(),
              entry.getValue().stream().map(fd -> fd.isOpen() ? fd : ended).toList());
        }
      }
    }
  }

  private static Fd ended() throws KernelException {
    var pipe = Pipe.open();
    pipe.writeEnd().close();
    return pipe.readEnd();
  }
}
