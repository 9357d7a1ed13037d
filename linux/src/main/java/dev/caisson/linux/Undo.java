package dev.caisson.linux;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Things made so far, to be closed in reverse order unless all goes well.
 *
 * <p>
 *
 * {@snippet :
 * try (var undo = new Undo()) {
 *   undo.own(mount(a));
 *   undo.own(mount(b));
 *   return new Rootfs(undo.keep());
 * }
 * }
 *
 * <p>Every owned thing is closed even if closing another fails; the first failure is thrown, the
 * others are added to it as suppressed. For one thread.
 */
public final class Undo implements AutoCloseable {
  private Deque<AutoCloseable> owned = new ArrayDeque<>();

  /** Makes an empty list. */
  public Undo() {}

  /** Adds a thing to close, or an action to run, before those added earlier. Returns it. */
  public <T extends AutoCloseable> T own(T thing) {
    owned.push(thing);
    return thing;
  }

  /** Moves everything owned into a new list, which the caller keeps; this one is empty after. */
  public Undo keep() {
    var kept = new Undo();
    kept.owned = owned;
    owned = new ArrayDeque<>();
    return kept;
  }

  /**
   * Closes what is owned, last added first; a second call has nothing to do.
   *
   * @throws IOException the first failure; a checked failure of another kind is its cause
   */
  @Override
  public void close() throws IOException {
    Throwable first = null;
    while (!owned.isEmpty()) {
      try {
        owned.pop().close();
      } catch (Exception e) {
        if (e instanceof InterruptedException) {
          Thread.currentThread().interrupt();
        }
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    switch (first) {
      case null -> {}
      case IOException e -> throw e;
      case RuntimeException e -> throw e;
      case Throwable e -> throw new IOException("undo: " + e.getMessage(), e);
    }
  }
}
