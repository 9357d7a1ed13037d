package dev.caisson.engine;

import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Hands events to listeners in the order they happened. A listener is called on the thread that
 * made the event and must be quick; one that throws is not asked again.
 */
public final class EventHub {
  private final CopyOnWriteArrayList<Consumer<PodEvent>> listeners = new CopyOnWriteArrayList<>();
  private final ReentrantLock order = new ReentrantLock();

  /** An event hub without listeners. */
  public EventHub() {}

  /** Adds a listener. Closing the result removes it. */
  public Subscription subscribe(Consumer<PodEvent> listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  /** Ends a subscription. */
  @FunctionalInterface
  public interface Subscription extends AutoCloseable {
    @Override
    void close();
  }

  void publish(PodEvent event) {
    order.lock();
    try {
      for (var listener : listeners) {
        try {
          listener.accept(event);
        } catch (RuntimeException e) {
          listeners.remove(listener);
        }
      }
    } finally {
      order.unlock();
    }
  }
}
