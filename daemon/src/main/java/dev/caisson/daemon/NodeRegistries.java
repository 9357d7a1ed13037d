package dev.caisson.daemon;

import dev.caisson.library.CaissonException;
import dev.caisson.library.Images;
import dev.caisson.library.Reason;
import dev.caisson.library.Root;
import dev.caisson.library.TransferProgress;
import dev.caisson.library.protocol.Listing;
import dev.caisson.library.protocol.User;
import dev.caisson.library.protocol.Wire;
import dev.caisson.oci.LayerStore;
import dev.caisson.oci.Platform;
import dev.caisson.oci.registry.Credentials;
import dev.caisson.oci.registry.Registries;
import dev.caisson.oci.registry.RegistrySettings;
import dev.caisson.oci.registry.Transfer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The library's calls that speak to registries; they end early when their client goes. */
final class NodeRegistries {
  private static final String SETTINGS = "registries.json";
  private static final long LOOK_MILLIS = 50;

  private final Registries registries;
  private final LayerStore layers;

  /** Settings are those of the state root, else those of the machine. */
  NodeRegistries(dev.caisson.oci.Images images, Root root) {
    var files = List.of(root.state().resolve(SETTINGS), Path.of("/etc/caisson", SETTINGS));
    this.layers = images.layers();
    this.registries = new Registries(images, () -> RegistrySettings.read(files));
  }

  byte[] pull(Images.PullSettings settings, User user, Conversation client) throws IOException {
    var platform = settings.platform().map(Platform::parse);
    return watched(
        client,
        listener -> {
          var pulled =
              registries.pull(
                  settings.reference(), platform, access(user, settings.insecure(), listener));
          var warnings = new ArrayList<>(pulled.warnings());
          layers.warning().ifPresent(warnings::add);
          return Wire.result(
              new Images.Pulled(
                  pulled.name(),
                  pulled.id().value(),
                  pulled.digest().value(),
                  pulled.isNew(),
                  warnings));
        });
  }

  byte[] push(Images.PushSettings settings, User user, Conversation client) throws IOException {
    return watched(
        client,
        listener ->
            Wire.result(
                new Listing.Text(
                    registries
                        .push(settings.reference(), access(user, settings.insecure(), listener))
                        .value())));
  }

  private static Registries.Access access(User user, boolean insecure, Transfer.Listener listener) {
    return new Registries.Access(
        Credentials.of(user.environment(), Path.of(user.home())),
        user.environment(),
        insecure,
        listener);
  }

  private interface Work {
    byte[] run(Transfer.Listener listener) throws InterruptedException;
  }

  /** Tells the client how far the work is, and interrupts it when the client has gone. */
  private static byte[] watched(Conversation client, Work work) throws IOException {
    var news = new News(new LinkedBlockingQueue<>());
    var task =
        new FutureTask<>(() -> work.run(news)) {
          @Override
          protected void done() {
            news.end();
          }
        };
    Thread.ofPlatform().daemon().name("transfer").start(task);
    try {
      for (boolean ended = false; !ended; ) {
        ended = task.isDone();
        news.tell(client);
        if (client.isAbandoned()) {
          throw new IOException("the client is gone");
        }
      }
      return task.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException failure
          ? failure
          : new CaissonException(Reason.INTERNAL, "", "a transfer ended: " + e.getCause(), "", e);
    } catch (CancellationException | InterruptedException e) {
      throw new IOException("interrupted", e);
    } finally {
      task.cancel(true);
    }
  }

  /**
   * What the threads of a transfer tell, for the one thread that talks to the client.
   *
   * @param queue in order; an empty entry wakes who waits when the transfer has ended
   */
  private record News(BlockingQueue<Optional<TransferProgress>> queue)
      implements Transfer.Listener {

    @Override
    public void changed(Transfer transfer) {
      queue.add(
          Optional.of(
              new TransferProgress(
                  transfer.subject(),
                  TransferProgress.Phase.valueOf(transfer.phase().name()),
                  transfer.done(),
                  transfer.total())));
    }

    @Override
    public void notice(String text) {
      queue.add(Optional.of(new TransferProgress(text, TransferProgress.Phase.NOTICE, 0, 0)));
    }

    void end() {
      queue.add(Optional.empty());
    }

    /** Waits a little for news, and sends all there are. */
    void tell(Conversation client) throws IOException, InterruptedException {
      for (var next = queue.poll(LOOK_MILLIS, TimeUnit.MILLISECONDS);
          next != null;
          next = queue.poll()) {
        if (next.isPresent()) {
          client.send(Wire.item(next.get()));
        }
      }
    }
  }
}
