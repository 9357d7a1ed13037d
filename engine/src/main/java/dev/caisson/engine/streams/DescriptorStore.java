package dev.caisson.engine.streams;

import dev.caisson.linux.Fd;
import java.io.IOException;
import java.util.List;

/**
 * Holds duplicates of descriptors so that they outlive this process. On a node the keeper stands
 * behind it.
 */
public interface DescriptorStore {

  /** Holds these under a name, instead of those held under it so far. */
  void hold(String name, List<Fd> descriptors) throws IOException;

  /** Gives up what is held under a name; harmless when nothing is. */
  void drop(String name) throws IOException;

  /** A store that holds nothing, for programs whose end is the containers' end too. */
  static DescriptorStore none() {
    return new DescriptorStore() {
      @Override
      public void hold(String name, List<Fd> descriptors) {}

      @Override
      public void drop(String name) {}
    };
  }
}
