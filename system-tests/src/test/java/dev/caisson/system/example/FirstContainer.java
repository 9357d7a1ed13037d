package dev.caisson.system.example;

import dev.caisson.library.Caisson;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.ExecSettings;
import dev.caisson.library.Limits;

/** Runs a container, a second program in it, and shows what that prints. */
public class FirstContainer {
  public static void main(String[] args) throws Exception {
    var settings =
        ContainerSettings.of("builtin/busybox", "sleep", "600")
            .withHostname("hello")
            .withLimits(Limits.NONE.withMemory(64 << 20).withPids(20));
    try (var node = Caisson.connect()) {
      var id = node.containers().create(settings).id();
      node.containers().start(id);
      try (var exec = node.containers().exec(id, ExecSettings.of("hostname"))) {
        exec.stdout().transferTo(System.out);
        System.out.println("it ended with " + exec.await().code());
      } finally {
        node.containers().remove(id, true);
      }
    }
  }
}
