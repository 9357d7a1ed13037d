package dev.caisson.keeper;

import dev.caisson.linux.Fd;
import dev.caisson.linux.KernelException;
import dev.caisson.linux.Kill;
import dev.caisson.linux.Signal;
import dev.caisson.linux.Spawn;
import dev.caisson.linux.UnixSocket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The daemon's end of the link to its keeper. Calls may be made from any thread, one is answered at
 * a time. When the keeper is gone, {@link #hold} and {@link #drop} do nothing, and the listener
 * given to {@link #listen} is told.
 */
public final class KeeperLink implements AutoCloseable {
  /** Exit code with which a daemon tells its keeper to end too. */
  public static final int STOP = Keeper.STOP;

  /** Exit code with which a daemon tells that it cannot start, so that its keeper ends with 1. */
  public static final int CANNOT_START = Keeper.CANNOT_START;

  private static final long ANSWER_LIMIT_SECONDS = 30;

  private final Fd socket;
  private final int keeperPid;
  private final List<String> command;
  private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
  private final Object calling = new Object();
  private volatile boolean gone;

  private record Answer(byte kind, String text, List<Fd> descriptors) {}

  private KeeperLink(Fd socket, int keeperPid, List<String> command) {
    this.socket = socket;
    this.keeperPid = keeperPid;
    this.command = command;
  }

  /** The link this process was started with; empty when no keeper started it. */
  public static Optional<KeeperLink> inherited() throws KernelException {
    if (!Integer.toString(Keeper.DAEMON_FD).equals(System.getenv(Keeper.VARIABLE))) {
      return Optional.empty();
    }
    var socket = new Fd(Keeper.DAEMON_FD);
    int pid = UnixSocket.peer(socket).pid();
    return Optional.of(new KeeperLink(socket, pid, commandOf(pid)));
  }

  /** Empty when it is gone already. */
  private static List<String> commandOf(int pid) {
    try {
      var line = Files.readString(Path.of("/proc/" + pid + "/cmdline"));
      return List.of(line.split("\0"));
    } catch (IOException e) {
      return List.of();
    }
  }

  /** Whether the keeper took the place of one that was killed. */
  public static boolean isReplacement() {
    return System.getenv(Keeper.REPLACED) != null;
  }

  /**
   * Starts another keeper like the one that is gone. It holds what it is given over the returned
   * link, and starts another daemon as soon as this one has ended.
   *
   * @throws IOException when the command of the one before is not known, or cannot be run
   */
  public KeeperLink startSuccessor() throws IOException {
    int at = command.indexOf(KeeperMain.RUN_DIRECTORY) + 2;
    if (at < 2 || at >= command.size()) {
      throw new IOException("start another keeper: how this one was started is not known");
    }
    var next = new ArrayList<>(command);
    if (!next.get(at).equals(KeeperMain.ADOPT)) {
      next.add(at, KeeperMain.ADOPT);
    }
    var pair = UnixSocket.pair(UnixSocket.Kind.SEQPACKET);
    try (var theirs = pair.second()) {
      var child = Spawn.of(next).withFds(List.of(new Fd(0), new Fd(1), new Fd(2), theirs)).start();
      return new KeeperLink(pair.first(), child.pid(), next);
    } catch (KernelException e) {
      pair.first().close();
      throw e;
    }
  }

  /** Ends a keeper that was started here, and with it all that it holds. */
  public void abandon() throws IOException {
    Kill.process(keeperPid, Signal.KILL);
    close();
  }

  /** Pid of the keeper; 0 once it is gone. */
  public int keeperPid() {
    return gone ? 0 : keeperPid;
  }

  /**
   * Starts to hear the keeper; call once, before anything else.
   *
   * @param exits told of each exit as it happens, on the link's own thread; must be quick
   * @param keeperGone told when the keeper has ended
   */
  public void listen(Consumer<ExitRecord> exits, Runnable keeperGone) {
    Thread.ofPlatform().daemon().name("keeper-link").start(() -> hear(exits, keeperGone));
  }

  private void hear(Consumer<ExitRecord> exits, Runnable keeperGone) {
    var buffer = new byte[Message.LONGEST];
    try {
      for (; ; ) {
        var message = UnixSocket.receive(socket, buffer);
        if (message.length() == 0) {
          break;
        }
        if (buffer[0] == Message.EXIT) {
          var exit = ExitRecord.readFrom(ByteBuffer.wrap(buffer, 1, ExitRecord.SIZE).slice());
          if (exit != null) {
            exits.accept(exit);
          }
        } else {
          answers.add(
              new Answer(buffer[0], Message.text(buffer, message.length()), message.descriptors()));
        }
      }
    } catch (KernelException | IllegalStateException e) {
      // Same as its end.
    }
    gone = true;
    answers.add(new Answer(Message.REFUSED, "the keeper is gone", List.of()));
    keeperGone.run();
  }

  /** All exits on disk, oldest first, also those told already. */
  public static List<ExitRecord> exitsOnDisk(Path runDirectory) throws IOException {
    return ExitLog.read(runDirectory);
  }

  /**
   * Lets the keeper hold duplicates of descriptors under a name, instead of those it held so far.
   *
   * @throws IOException when the keeper refuses or does not answer
   */
  public void hold(String name, List<Fd> descriptors) throws IOException {
    call(Message.HOLD, name, descriptors);
  }

  /** Lets the keeper close what it holds under a name; harmless when it holds nothing. */
  public void drop(String name) throws IOException {
    call(Message.DROP, name, List.of());
  }

  /** Duplicates of all that the keeper holds, by name; the caller's to close. */
  public Map<String, List<Fd>> held() throws IOException {
    var items = new HashMap<String, List<Fd>>();
    synchronized (calling) {
      Message.send(socket, Message.LIST, "", List.of());
      for (; ; ) {
        var answer = answer();
        if (answer.kind() == Message.DONE) {
          return items;
        }
        if (answer.kind() == Message.REFUSED) {
          throw new IOException("list held descriptors: " + answer.text());
        }
        items.put(answer.text(), answer.descriptors());
      }
    }
  }

  private void call(byte kind, String name, List<Fd> descriptors) throws IOException {
    synchronized (calling) {
      if (gone) {
        return;
      }
      try {
        Message.send(socket, kind, name, descriptors);
      } catch (KernelException e) {
        if (gone) {
          return;
        }
        throw e;
      }
      var answer = answer();
      if (answer.kind() != Message.DONE && !gone) {
        throw new IOException("keeper about '" + name + "': " + answer.text());
      }
    }
  }

  private Answer answer() throws IOException {
    try {
      var answer = answers.poll(ANSWER_LIMIT_SECONDS, TimeUnit.SECONDS);
      if (answer == null) {
        throw new IOException("the keeper did not answer within 30 s");
      }
      return answer;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while asking the keeper", e);
    }
  }

  @Override
  public void close() {
    UnixSocket.end(socket);
  }
}
