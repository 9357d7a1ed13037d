package dev.caisson.library;

import java.io.InputStream;
import java.io.OutputStream;

/**
 * A caller's connection to the streams of a process. Closing it leaves the process running. The
 * streams are raw bytes; each may be used from a thread of its own. Output streams end (read gives
 * -1) when the process has ended and everything it wrote was delivered; read fails with {@link
 * StreamCutException} when they are over before.
 */
public interface Attachment extends AutoCloseable {

  /** Container id, or the exec's id where {@link Containers#exec} made this. */
  String id();

  /**
   * Goes to the process's standard input; closing it ends that input. Fails on write when stdin was
   * not asked for.
   */
  OutputStream stdin();

  /** What the process wrote to standard output, or to its terminal. Empty when not asked for. */
  InputStream stdout();

  /** What the process wrote to standard error. Empty for a terminal or when not asked for. */
  InputStream stderr();

  /** Waits for the end of the process this is attached to. */
  ExitStatus await();

  /** Sends a signal to the process this is attached to. */
  void kill(String signal);

  /** Tells the size of the caller's terminal. */
  void resize(TerminalSize size);

  @Override
  void close();
}
