package dev.caisson.library;

import dev.caisson.library.protocol.Attached;
import dev.caisson.library.protocol.Request;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** An {@link Attachment} over a connection for each stream. */
final class RemoteAttachment implements Attachment {
  private final Client client;
  private final String container;
  private final Optional<String> exec;
  private final Optional<Connection> stdin;
  private final Optional<Connection> stdout;
  private final Optional<Connection> stderr;

  private RemoteAttachment(
      Client client,
      String container,
      Optional<String> exec,
      Optional<Connection> stdin,
      Optional<Connection> stdout,
      Optional<Connection> stderr) {
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
      AttachSettings wanted) {
    var opened = new ArrayList<Connection>();
    try {
      return new RemoteAttachment(
          client,
          container,
          exec,
          openIf(wanted.stdin(), client, attached, "stdin", opened),
          openIf(wanted.stdout(), client, attached, "stdout", opened),
          openIf(wanted.stderr() && !attached.terminal(), client, attached, "stderr", opened));
    } catch (CaissonException e) {
      opened.forEach(Connection::close);
      throw e;
    }
  }

  private static Optional<Connection> openIf(
      boolean wanted, Client client, Attached attached, String stream, List<Connection> opened) {
    if (!wanted) {
      return Optional.empty();
    }
    var connection = openStream(client, attached.token(), stream);
    opened.add(connection);
    return Optional.of(connection);
  }

  static Connection openStream(Client client, String token, String stream) {
    var connection = client.take();
    var request = new Request.OpenStream(token, stream);
    try {
      connection.call(request, Client.Done.class, Client::noItems);
      return connection;
    } catch (IOException e) {
      connection.close();
      throw client.broken(request, e);
    } catch (CaissonException e) {
      client.giveBack(connection);
      throw e;
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
    return stdout.<InputStream>map(Output::new).orElseGet(InputStream::nullInputStream);
  }

  @Override
  public InputStream stderr() {
    return stderr.<InputStream>map(Output::new).orElseGet(InputStream::nullInputStream);
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
    stdout.ifPresent(Connection::close);
    stderr.ifPresent(Connection::close);
  }

  /** What the process wrote. */
  private static final class Output extends InputStream {
    private final Connection connection;

    Output(Connection connection) {
      this.connection = connection;
    }

    @Override
    public int read() throws IOException {
      var one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      return length == 0 ? 0 : connection.read(bytes, offset, length);
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
