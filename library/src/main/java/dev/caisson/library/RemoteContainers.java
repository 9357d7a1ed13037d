package dev.caisson.library;

import dev.caisson.json.Json;
import dev.caisson.library.protocol.Attached;
import dev.caisson.library.protocol.Failure;
import dev.caisson.library.protocol.Listing;
import dev.caisson.library.protocol.Request;
import dev.caisson.library.protocol.Wire;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** {@link Containers} at the other end of a socket. */
final class RemoteContainers implements Containers {
  private final Client client;
  private final boolean ownOutput;

  RemoteContainers(Client client, boolean ownOutput) {
    this.client = client;
    this.ownOutput = ownOutput;
  }

  @Override
  public Containers withOwnOutput() {
    return new RemoteContainers(client, true);
  }

  @Override
  public Created create(ContainerSettings settings, Consumer<TransferProgress> progress) {
    return new Creation(client.images(), this::createHere).create(settings, progress);
  }

  private Created createHere(ContainerSettings settings) {
    return client.call(new Request.Create(settings), Created.class, Client::noItems);
  }

  @Override
  public void start(String container) {
    client.call(new Request.Start(container), Client.Done.class, Client::noItems);
  }

  @Override
  public Attachment attach(String container, AttachSettings settings) {
    var attached = client.call(new Request.Attach(container), Attached.class, Client::noItems);
    return RemoteAttachment.open(
        client, attached.id(), Optional.empty(), attached, settings, ownOutput);
  }

  @Override
  public ExitStatus await(String container) {
    return client.repeatable(new Request.Await(container, Optional.empty()), ExitStatus.class);
  }

  @Override
  public void stop(String container, Optional<Duration> grace) {
    client.repeatable(new Request.Stop(container, grace), Client.Done.class);
  }

  @Override
  public void kill(String container, String signal, boolean all) {
    client.call(
        new Request.Kill(container, Optional.empty(), signal, all),
        Client.Done.class,
        Client::noItems);
  }

  @Override
  public void pause(String container) {
    client.call(new Request.Pause(container), Client.Done.class, Client::noItems);
  }

  @Override
  public void unpause(String container) {
    client.call(new Request.Unpause(container), Client.Done.class, Client::noItems);
  }

  @Override
  public void remove(String container, boolean force) {
    client.call(new Request.Remove(container, force), Client.Done.class, Client::noItems);
  }

  @Override
  public List<String> update(String container, Limits limits) {
    return client
        .call(new Request.Update(container, limits), Listing.OfTexts.class, Client::noItems)
        .texts();
  }

  @Override
  public Stats stats(String container) {
    return client.repeatable(new Request.ReadStats(container), Stats.class);
  }

  @Override
  public List<ProcessEntry> top(String container) {
    return client.repeatable(new Request.Top(container), Listing.OfProcesses.class).processes();
  }

  @Override
  public ContainerInfo inspect(String container) {
    return client.repeatable(new Request.Inspect(container), ContainerInfo.class);
  }

  @Override
  public List<ContainerSummary> list() {
    return client.repeatable(new Request.ListContainers(), Listing.OfContainers.class).containers();
  }

  @Override
  public LogReader logs(String container, LogSettings settings) {
    return RemoteLog.open(client, new Request.Logs(container, settings));
  }

  @Override
  public Attachment exec(String container, ExecSettings settings) {
    var attached =
        client.call(new Request.Exec(container, settings, false), Attached.class, Client::noItems);
    var attachment =
        RemoteAttachment.open(
            client,
            container,
            Optional.of(attached.id()),
            attached,
            new AttachSettings(settings.stdin(), true, true),
            ownOutput);
    try {
      client.call(
          new Request.StartExec(container, attached.id()), Client.Done.class, Client::noItems);
      return attachment;
    } catch (CaissonException e) {
      attachment.close();
      throw e;
    }
  }

  @Override
  public String execDetached(String container, ExecSettings settings) {
    return client
        .call(new Request.Exec(container, settings, true), Attached.class, Client::noItems)
        .id();
  }

  @Override
  public void resize(String container, Optional<String> exec, TerminalSize size) {
    client.repeatable(new Request.Resize(container, exec, size), Client.Done.class);
  }

  /** A log read over a connection of its own. */
  private static final class RemoteLog implements LogReader {
    private final Connection connection;
    private boolean ended;

    private RemoteLog(Connection connection) {
      this.connection = connection;
    }

    static RemoteLog open(Client client, Request.Logs request) {
      var connection = client.take();
      try {
        connection.send(request);
        return new RemoteLog(connection);
      } catch (IOException e) {
        connection.close();
        throw client.broken(request, e);
      }
    }

    @Override
    public Optional<Entry> next() {
      if (ended) {
        return Optional.empty();
      }
      try {
        var line = connection.readLine();
        var kind = Wire.kind(line);
        var body = Wire.body(line, kind);
        return switch (kind) {
          case ITEM -> Optional.of(Json.read(body, Entry.class));
          case RESULT -> {
            ended = true;
            yield Optional.empty();
          }
          case ERROR -> {
            ended = true;
            throw Json.read(body, Failure.class).exception();
          }
        };
      } catch (IOException e) {
        throw new CaissonException(
            Reason.UNAVAILABLE, "read the log", String.valueOf(e.getMessage()), "", e);
      }
    }

    @Override
    public void close() {
      connection.close();
    }
  }
}
