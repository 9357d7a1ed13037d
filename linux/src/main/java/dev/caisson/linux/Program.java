package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs a program to its end and keeps what it says. Both outputs are read at all times, so that a
 * talkative program is never held up, but only their beginnings are kept.
 */
public final class Program {
  private static final int KEPT = 256 << 10;
  private static final int CHUNK = 64 << 10;
  private static final int SIGNAL_MASK = 0x7f;
  private static final int CODE_SHIFT = 8;
  private static final int CODE_MASK = 0xff;

  private Program() {}

  /**
   * How a program ended.
   *
   * @param waitStatus the kernel's encoding, wait(2)
   * @param timedOut it was killed because its time was up
   * @param output the beginning of its standard output
   * @param errors the beginning of its standard error
   */
  public record Result(int waitStatus, boolean timedOut, byte[] output, byte[] errors) {

    /** Whether it ended with exit code 0. */
    public boolean succeeded() {
      return waitStatus == 0 && !timedOut;
    }

    /** How it ended, in words: {@code ended with 1}. */
    public String outcome() {
      if (timedOut) {
        return "did not end in time and was killed";
      }
      int signal = waitStatus & SIGNAL_MASK;
      return signal == 0
          ? "ended with " + (waitStatus >> CODE_SHIFT & CODE_MASK)
          : "was killed by " + new Signal(signal);
    }
  }

  /**
   * Runs it with both outputs kept; its input is what {@code spawn} gives as descriptor 0, or
   * /dev/null.
   *
   * @throws KernelException when it cannot be started
   */
  public static Result run(Spawn spawn, Duration limit) throws KernelException {
    try (var output = Pipe.open();
        var errors = Pipe.open()) {
      var fds =
          spawn.fds().isEmpty()
              ? List.of(DevNull.open(), output.writeEnd(), errors.writeEnd())
              : List.of(spawn.fds().getFirst(), output.writeEnd(), errors.writeEnd());
      Child child;
      try {
        child = spawn.withFds(fds).start();
      } finally {
        if (spawn.fds().isEmpty()) {
          fds.getFirst().close();
        }
      }
      output.writeEnd().close();
      errors.writeEnd().close();
      return collect(child, output.readEnd(), errors.readEnd(), limit);
    }
  }

  private static Result collect(Child child, Fd output, Fd errors, Duration limit)
      throws KernelException {
    long deadline = System.nanoTime() + limit.toNanos();
    var kept =
        new ByteArrayOutputStream[] {new ByteArrayOutputStream(), new ByteArrayOutputStream()};
    var timedOut = false;
    try (var arena = Arena.ofConfined();
        var pidfd = watch(child)) {
      var chunk = arena.allocate(CHUNK);
      var open = new Fd[] {output, errors};
      boolean ended = false;
      while (!ended) {
        int left =
            (int)
                Math.max(
                    0,
                    Math.min(
                        Integer.MAX_VALUE,
                        TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
        if (left == 0 && !timedOut) {
          timedOut = true;
          pidfd.send(Signal.KILL);
        }
        var happened = Poll.wait(Poll.IN, timedOut ? -1 : left, pidfd.fd(), open[0], open[1]);
        ended = happened[0] != 0;
        for (int i = 0; i < open.length; i++) {
          if (happened[i + 1] != 0 && open[i] != pidfd.fd() && !take(open[i], chunk, kept[i])) {
            // At its end; from here on the process itself stands in for it.
            open[i] = pidfd.fd();
          }
        }
      }
      // What it wrote before its end is in the pipes; what its descendants still write is not
      // waited for.
      for (int i = 0; i < open.length; i++) {
        var more = open[i] != pidfd.fd();
        while (more) {
          more = Poll.readable(open[i], 0) && take(open[i], chunk, kept[i]);
        }
      }
    }
    return new Result(child.await(), timedOut, kept[0].toByteArray(), kept[1].toByteArray());
  }

  /** A child that cannot be watched is not left behind. */
  private static Pidfd watch(Child child) throws KernelException {
    try {
      return Pidfd.open(child.pid()).orElseThrow();
    } catch (KernelException e) {
      child.kill(Signal.KILL);
      child.await();
      throw e;
    }
  }

  private static boolean take(Fd from, MemorySegment chunk, ByteArrayOutputStream kept)
      throws KernelException {
    int got = (int) from.read(chunk);
    int room = Math.min(got, KEPT - kept.size());
    if (room > 0) {
      kept.writeBytes(chunk.asSlice(0, room).toArray(JAVA_BYTE));
    }
    return got > 0;
  }
}
