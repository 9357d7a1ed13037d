package dev.caisson.engine.streams;

import dev.caisson.linux.Fd;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Holds the very descriptors it is given, so that nothing is left open behind a test. */
final class SharedStore implements DescriptorStore {
  private final Map<String, List<Fd>> held = new HashMap<>(); // guarded by this

  @Override
  public synchronized void hold(String name, List<Fd> descriptors) {
    held.put(name, List.copyOf(descriptors));
  }

  @Override
  public synchronized void drop(String name) {
    held.remove(name);
  }

  synchronized Map<String, List<Fd>> held() {
    return Map.copyOf(held);
  }
}
