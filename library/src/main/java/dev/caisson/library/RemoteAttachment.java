package dev.caisson.library;

import dev.caisson.library.protocol.Attached;
import dev.caisson.library.protocol.Request;
import dev.caisson.library.protocol.StreamEnd;
import dev.caisson.library.protocol.StreamOpened;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** An {@link Attachment} over a connection for each stream. */
final class RemoteAttachment implements Attachment {
  private static final int OUT = 1;
  private static final int ERR = 2;

  private final Client client;
  private final String container;
  private final Optional<String> exec;
  private final Optional<Connection> stdin;
  private final Optional<Output> stdout;
  private final Optional<Output> stderr;

  private RemoteAttachment(
      Client client,
      String container,
      Optional<String> exec,
      Optional<Connection> stdin,
      Optional<Output> stdout,
      Optional<Output> stderr) {
    this.client = client;
    this.container = container;
    this.exec = exec;
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
  }

  static RemoteAttachment open(
      Client client,
      String container,
      Optional<String> exec,
      Attached attached,
      AttachSettings wanted,
      boolean ownOutput) {
    var opened = new ArrayList<Connection>();
    try {
      var stdin =
          wanted.stdin()
              ? Optional.of(openStream(client, attached.token(), "stdin"))
              : Optional.<Connection>empty();
      stdin.ifPresent(opened::add);
      var stdout =
          wanted.stdout()
              ? Optional.of(output(client, attached, "stdout", OUT, ownOutput, opened))
              : Optional.<Output>empty();
      var stderr =
          wanted.stderr() && !attached.terminal()
              ? Optional.of(output(client, attached, "stderr", ERR, ownOutput, opened))
              : Optional.<Output>empty();
      return new RemoteAttachment(client, container, exec, stdin, stdout, stderr);
    } catch (CaissonException e) {
      opened.forEach(Connection::close);
      throw e;
    }
  }

  private static Output output(
      Client client,
      Attached attached,
      String stream,
      int descriptor,
      boolean ownOutput,
      List<Connection> opened) {
    var direct =
        ownOutput && takesAll(descriptor) ? Optional.of(descriptor) : Optional.<Integer>empty();
    var connection = client.take();
    opened.add(connection);
    boolean kept =
        openStream(client, connection, new Request.OpenStream(attached.token(), stream, direct));
    return new Output(client, connection, kept, new Request.EndOfStream(attached.token(), stream));
  }

  /** Whether a descriptor of ours is one that the daemon can move bytes into. */
  private static boolean takesAll(int descriptor) {
    try {
      var target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return target.startsWith("pipe:") || target.equals("/dev/null");
    } catch (IOException closed) {
      return false;
    }
  }

  /** A connection that has become a stream. */
  static Connection openStream(Client client, String token, String stream) {
    var connection = client.take();
    try {
      openStream(client, connection, new Request.OpenStream(token, stream, Optional.empty()));
      return connection;
    } catch (CaissonException e) {
      connection.close();
      throw e;
    }
  }

  /** Makes a connection a stream; tells whether it outlives the daemon. */
  private static boolean openStream(
      Client client, Connection connection, Request.OpenStream request) {
    try {
      return connection.call(request, StreamOpened.class, Client::noItems).kept();
    } catch (IOException e) {
      throw client.broken(request, e);
    }
  }

  @Override
  public String id() {
    return exec.orElse(container);
  }

  @Override
  public OutputStream stdin() {
    return stdin.<OutputStream>map(Input::new).orElseGet(() -> new NoInput(id()));
  }

  @Override
  public InputStream stdout() {
    return stdout.<InputStream>map(out -> out).orElseGet(InputStream::nullInputStream);
  }

  @Override
  public InputStream stderr() {
    return stderr.<InputStream>map(err -> err).orElseGet(InputStream::nullInputStream);
  }

  @Override
  public ExitStatus await() {
    return client.repeatable(new Request.Await(container, exec), ExitStatus.class);
  }

  @Override
  public void kill(String signal) {
    client.call(
        new Request.Kill(container, exec, signal, false), Client.Done.class, Client::noItems);
  }

  @Override
  public void resize(TerminalSize size) {
    client.repeatable(new Request.Resize(container, exec, size), Client.Done.class);
  }

  @Override
  public void close() {
    stdin.ifPresent(Connection::close);
    stdout.ifPresent(Output::close);
    stderr.ifPresent(Output::close);
  }

  /** What the process wrote. */
  private static final class Output extends InputStream {
    private final Client client;
    private final Connection connection;
    private final Request.EndOfStream howItEnded;
    private final boolean kept;
    private boolean ended;

    Output(Client client, Connection connection, boolean kept, Request.EndOfStream howItEnded) {
      this.client = client;
      this.connection = connection;
      this.kept = kept;
      this.howItEnded = howItEnded;
    }

    @Override
    public int read() throws IOException {
      var one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      int got = ended ? -1 : receive(bytes, offset, length);
      if (got < 0 && !ended) {
        ended = true;
        checkEnd();
      }
      return got;
    }

    private int receive(byte[] bytes, int offset, int length) throws IOException {
      try {
        return connection.read(bytes, offset, length);
      } catch (IOException e) {
        if (kept) {
          throw e;
        }
        return -1;
      }
    }

    /** The connection ends the same way whatever the reason. */
    private void checkEnd() throws StreamCutException {
      StreamEnd.How how;
      try {
        how = client.repeatable(howItEnded, StreamEnd.class).how();
      } catch (CaissonException e) {
        // Another daemon does not know this attachment; one that is kept it has served to the end.
        if (kept || e.reason() != Reason.NOT_FOUND) {
          return;
        }
        throw new StreamCutException(
            StreamCutException.Cause.DAEMON_REPLACED,
            howItEnded.stream() + ": the daemon was replaced; what came meanwhile is in the log");
      }
      switch (how) {
        case WHOLE -> {}
        case READER_GONE ->
            throw new StreamCutException(
                StreamCutException.Cause.READER_GONE,
                howItEnded.stream() + ": nobody reads the pipe any more");
        case TOO_SLOW ->
            throw new StreamCutException(
                StreamCutException.Cause.TOO_SLOW,
                howItEnded.stream()
                    + ": cut off, since 4 MiB were waiting to be read; the process goes on, and so"
                    + " does its log");
      }
    }

    @Override
    public void close() {
      connection.close();
    }
  }

  /** What the process reads. */
  static final class Input extends OutputStream {
    private final Connection connection;

    Input(Connection connection) {
      this.connection = connection;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      connection.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      connection.endInput();
    }
  }

  /** Standing in for an input that was not asked for. */
  private static final class NoInput extends OutputStream {
    private final String id;

    NoInput(String id) {
      this.id = id;
    }

    @Override
    public void write(int b) throws IOException {
      throw new IOException("write to stdin of '" + id + "': attached without stdin");
    }
  }
}
