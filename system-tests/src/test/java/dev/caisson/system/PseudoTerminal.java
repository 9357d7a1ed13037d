package dev.caisson.system;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.caisson.linux.Child;
import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Signal;
import dev.caisson.linux.Spawn;
import dev.caisson.linux.Syscall;
import dev.caisson.linux.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A user at a terminal of which the test has the other end: types, reads, changes its size. */
public final class PseudoTerminal implements AutoCloseable {
  private static final long LIMIT_SECONDS = 60;
  private static final int READ_WRITE_NO_CONTROL_CLOSE_ON_EXEC = 0x80102;
  private static final int BUFFER = 64 << 10;
  private static final Syscall OPEN = Syscall.variadic("open", 2, JAVA_INT, ADDRESS, JAVA_INT);

  private final Fd master;
  private final Fd slave;
  private final String name;
  private final Thread reader;
  private final ByteArrayOutputStream shown = new ByteArrayOutputStream(); // guarded by this
  private int seen; // guarded by this
  private final List<Child> started = new ArrayList<>();

  private PseudoTerminal(Fd master, String name, Fd slave) {
    this.master = master;
    this.name = name;
    this.slave = slave;
    this.reader = Thread.ofPlatform().daemon().name("terminal").start(this::read);
  }

  /** Makes a terminal of 80 by 24 characters. */
  public static PseudoTerminal open() throws KernelException {
    int number =
        (int)
            Syscall.of("posix_openpt", JAVA_INT, JAVA_INT)
                .call("open a terminal", READ_WRITE_NO_CONTROL_CLOSE_ON_EXEC);
    var master = new Fd(number);
    try (var arena = Arena.ofConfined()) {
      Syscall.of("unlockpt", JAVA_INT, JAVA_INT).call("unlock a terminal", number);
      var name = arena.allocate(64);
      Syscall.of("ptsname_r", JAVA_INT, JAVA_INT, ADDRESS, JAVA_LONG)
          .call("name a terminal", number, name, 64L);
      var slave =
          new Fd((int) OPEN.call("open the other end", name, READ_WRITE_NO_CONTROL_CLOSE_ON_EXEC));
      Terminal.resize(number, new Terminal.Size(80, 24));
      return new PseudoTerminal(master, name.getString(0), slave);
    } catch (KernelException e) {
      master.close();
      throw e;
    }
  }

  /** Starts a program whose controlling terminal this is. */
  public Child start(Map<String, String> environment, List<String> command) throws KernelException {
    var all = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" <" + name + " >" + name + " 2>&1"));
    all.add("sh");
    all.addAll(command);
    var child = Spawn.of(all).withEnvironment(environment).inNewSession().start();
    started.add(child);
    return child;
  }

  /** Waits for the end of a program started here: its exit code, or 128 and its signal. */
  public int await(Child child) throws KernelException {
    var status =
        child
            .await(Duration.ofSeconds(LIMIT_SECONDS))
            .orElseThrow(() -> new AssertionError("it goes on; shown: " + shown()));
    started.remove(child);
    return (status & 0x7f) == 0 ? status >> 8 : 128 + (status & 0x7f);
  }

  /** Types. */
  public void type(String keys) throws KernelException {
    try (var arena = Arena.ofConfined()) {
      master.write(arena.allocateFrom(JAVA_BYTE, keys.getBytes(StandardCharsets.UTF_8)));
    }
  }

  /** Waits until a text is shown after all that was waited for before. */
  public synchronized void await(String text) throws InterruptedException {
    var deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    for (; ; ) {
      var all = shown();
      int at = all.indexOf(text, seen);
      if (at >= 0) {
        seen = at + text.length();
        return;
      }
      var left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (left <= 0) {
        throw new AssertionError("'" + text + "' is not shown; shown: " + all);
      }
      wait(left);
    }
  }

  /** Everything shown so far. */
  public synchronized String shown() {
    return shown.toString(StandardCharsets.ISO_8859_1);
  }

  /** Changes its size, as a window does. */
  public void resize(int columns, int rows) throws KernelException {
    Terminal.resize(master.number(), new Terminal.Size(columns, rows));
  }

  /** Its modes, as stty(1) puts them. */
  public String modes() throws IOException, InterruptedException {
    return Ran.of(System.getenv(), List.of("stty", "-g", "-F", name)).out();
  }

  private void read() {
    try (var arena = Arena.ofConfined()) {
      var chunk = arena.allocate(BUFFER);
      for (long got; (got = master.read(chunk)) > 0; ) {
        synchronized (this) {
          shown.writeBytes(chunk.asSlice(0, got).toArray(JAVA_BYTE));
          notifyAll();
        }
      }
    } catch (KernelException e) {
      // EIO: nobody has the other end any more.
      return;
    }
  }

  @Override
  public void close() throws KernelException {
    for (var child : started) {
      child.kill(Signal.KILL);
      child.await();
    }
    slave.close();
    try {
      reader.join(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    master.close();
  }
}
