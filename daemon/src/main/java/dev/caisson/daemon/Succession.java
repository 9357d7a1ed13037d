package dev.caisson.daemon;

import dev.caisson.engine.streams.Pump;
import dev.caisson.keeper.KeeperLink;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * What follows when the keeper was killed: another one gets all that the first one held and the
 * pidfds of the running processes; then this daemon ends, as harmlessly as ever, and the new keeper
 * starts the next one. When that cannot be done this daemon goes on alone.
 */
final class Succession {
  private final KeeperLink keeper;
  private final KeptDescriptors kept;
  private final KeeperExits exits;
  private final Pump pump;
  private final CompletableFuture<Boolean> ready = new CompletableFuture<>();

  Succession(KeeperLink keeper, KeptDescriptors kept, KeeperExits exits, Pump pump) {
    this.keeper = keeper;
    this.kept = kept;
    this.exits = exits;
    this.pump = pump;
  }

  /** From now on there is all to hand over that there will be. */
  void ready() {
    ready.complete(true);
  }

  /** The keeper is gone. */
  void begin() {
    exits.keeperIsGone();
    var _ = ready.thenRun(this::replaceKeeper);
  }

  private void replaceKeeper() {
    try {
      var next = keeper.startSuccessor();
      next.listen(_ -> {}, () -> {});
      pump.still(() -> {
        // The loop stands still until this program ends: nothing is moved that is handed over.
        if (give(next)) {
          System.err.println("caissond: the keeper was killed; another one takes over");
          Runtime.getRuntime().halt(0);
        }
      });
    } catch (IOException e) {
      System.err.println("caissond: the keeper was killed, and there is no other: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean give(KeeperLink next) {
    try {
      kept.giveTo(next);
      for (var entry : exits.watched().entrySet()) {
        next.hold(entry.getKey(), entry.getValue());
      }
      return true;
    } catch (IOException e) {
      System.err.println("caissond: hand over to another keeper: " + e);
      try {
        next.abandon();
      } catch (IOException gone) {
        return false;
      }
      return false;
    }
  }
}
