package dev.caisson.oci.registry;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The bytes of an answer, as they come, without a copy. Reading gives up when nothing comes for too
 * long, which the JDK's own streams do not. For one reader; close it.
 */
final class ResponseBody implements HttpResponse.BodySubscriber<ResponseBody>, AutoCloseable {
  /** How many pieces of 16 KiB may wait for the reader. */
  private static final int AHEAD = 32;

  private sealed interface Event {
    record Data(List<ByteBuffer> pieces) implements Event {}

    record End() implements Event {}

    record Failure(Throwable reason) implements Event {}
  }

  private final Duration stall;
  private final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();

  ResponseBody(Duration stall) {
    this.stall = stall;
  }

  @Override
  public CompletionStage<ResponseBody> getBody() {
    return CompletableFuture.completedStage(this);
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription.complete(given);
    given.request(AHEAD);
  }

  @Override
  public void onNext(List<ByteBuffer> pieces) {
    events.add(new Event.Data(pieces));
  }

  @Override
  public void onError(Throwable reason) {
    events.add(new Event.Failure(reason));
  }

  @Override
  public void onComplete() {
    events.add(new Event.End());
  }

  /**
   * The next bytes; empty at the end.
   *
   * @throws HttpTimeoutException if none came in time
   * @throws IOException if the connection broke off
   */
  Optional<List<ByteBuffer>> next() throws IOException, InterruptedException {
    var event = events.poll(stall.toNanos(), TimeUnit.NANOSECONDS);
    if (event == null) {
      throw new HttpTimeoutException("nothing came for " + stall.toMillis() + " ms");
    }
    return switch (event) {
      case Event.Data(var pieces) -> {
        subscription.join().request(1);
        yield Optional.of(pieces);
      }
      case Event.End _ -> {
        events.add(event);
        yield Optional.empty();
      }
      case Event.Failure(var reason) ->
          throw new IOException("the connection broke off: " + reason.getMessage(), reason);
    };
  }

  /** All that comes, but not more than one byte above {@code most}. */
  byte[] readAll(int most) throws IOException, InterruptedException {
    var all = new ByteArrayOutputStream();
    for (var pieces = next(); pieces.isPresent(); pieces = next()) {
      for (var piece : pieces.get()) {
        byte[] bytes = new byte[Math.min(piece.remaining(), most + 1 - all.size())];
        piece.get(bytes);
        all.writeBytes(bytes);
      }
      if (all.size() > most) {
        return all.toByteArray();
      }
    }
    return all.toByteArray();
  }

  /** Ends the transfer if it is under way. */
  @Override
  public void close() {
    var _ = subscription.thenAccept(Flow.Subscription::cancel);
    events.clear();
  }
}
