package dev.caisson.oci.registry;

import dev.caisson.oci.Descriptor;
import dev.caisson.oci.Digest;
import dev.caisson.oci.Intake;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The layers of one image on their way in, the lowest first, several at once. Opening one waits
 * until it is there. Closing ends what still comes and keeps what came for the next time.
 */
final class Downloads implements Intake.Blobs, Intake.Progress, AutoCloseable {
  private final Intake intake;
  private final RegistryClient client;
  private final List<Source> sources;
  private final ForeignLayers foreign;
  private final RegistrySettings settings;
  private final ExecutorService threads;
  private final Map<Digest, CompletableFuture<Void>> blobs = new LinkedHashMap<>();
  private final Map<Digest, Meter> meters = new LinkedHashMap<>();

  Downloads(
      Intake intake,
      RegistryClient client,
      RegistrySettings settings,
      List<Source> sources,
      Transfer.Listener listener,
      List<Descriptor> layers) {
    this.intake = intake;
    this.client = client;
    this.settings = settings;
    this.sources = sources;
    this.foreign = new ForeignLayers(client.transport(), settings);
    this.threads =
        Executors.newFixedThreadPool(
            settings.parallel(), Thread.ofPlatform().daemon().name("download-", 0).factory());
    for (Descriptor layer : layers) {
      var meter = new Meter(listener, layer.digest().value(), layer.size());
      if (meters.putIfAbsent(layer.digest(), meter) == null) {
        meter.enter(Transfer.Phase.WAITING, 0);
        blobs.put(layer.digest(), start(layer, meter));
      }
    }
  }

  private CompletableFuture<Void> start(Descriptor layer, Meter meter) {
    var end = new CompletableFuture<Void>();
    threads.execute(() -> {
      try {
        new Download(layer, hosts(layer), client.transport(), meter).run(intake);
        end.complete(null);
      } catch (IOException | InterruptedException | RuntimeException e) {
        end.completeExceptionally(e);
      }
    });
    return end;
  }

  private List<Download.Host> hosts(Descriptor layer) {
    var hosts = new ArrayList<Download.Host>();
    for (Source source : sources) {
      hosts.add(
          new Download.Host(
              source.endpoint().origin(),
              source.endpoint().retries(),
              position -> source.blob(layer.digest(), position)));
    }
    hosts.addAll(foreign.hosts(layer));
    return hosts;
  }

  @Override
  public InputStream open(Descriptor layer) throws IOException {
    await(layer.digest());
    return intake.open(layer.digest());
  }

  /** Waits until all layers are there, also those that were unpacked before. */
  void awaitAll() throws IOException {
    for (Digest digest : blobs.keySet()) {
      await(digest);
    }
  }

  private void await(Digest digest) throws IOException {
    var blob = blobs.get(digest);
    if (blob == null) {
      throw new IllegalArgumentException("'" + digest + "' is no layer of this image");
    }
    try {
      Ended.await(blob);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while a layer came in");
    }
  }

  @Override
  public void unpacking(Descriptor layer) {
    meter(layer).enter(Transfer.Phase.UNPACKING, 0);
  }

  @Override
  public void unpacked(Descriptor layer) {
    meter(layer).enter(Transfer.Phase.DONE, 0);
  }

  private Meter meter(Descriptor layer) {
    var meter = meters.get(layer.digest());
    if (meter == null) {
      throw new IllegalArgumentException("'" + layer.digest() + "' is no layer of this image");
    }
    return meter;
  }

  /** Ends the threads; they have let go of the store when this returns. */
  @Override
  public void close() {
    threads.shutdownNow();
    boolean interrupted = false;
    while (!threads.isTerminated()) {
      try {
        threads.awaitTermination(settings.stall().toMillis(), TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
