package dev.caisson.daemon;

import dev.caisson.engine.streams.DescriptorStore;
import dev.caisson.keeper.KeeperLink;
import dev.caisson.linux.Fd;
import java.io.IOException;
import java.util.List;

/** Descriptors held by the keeper. */
record KeptDescriptors(KeeperLink keeper) implements DescriptorStore {

  @Override
  public void hold(String name, List<Fd> descriptors) throws IOException {
    keeper.hold(name, descriptors);
  }

  @Override
  public void drop(String name) throws IOException {
    keeper.drop(name);
  }
}
