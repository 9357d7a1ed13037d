package dev.caisson.daemon;

import dev.caisson.engine.streams.LogReader;
import dev.caisson.library.CaissonException;
import dev.caisson.library.ExitStatus;
import dev.caisson.library.Images;
import dev.caisson.library.LogSettings;
import dev.caisson.library.Reason;
import dev.caisson.library.protocol.Attached;
import dev.caisson.library.protocol.Listing;
import dev.caisson.library.protocol.Request;
import dev.caisson.library.protocol.StreamOpened;
import dev.caisson.library.protocol.Wire;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Each request and what is done about it, in one place. */
final class Calls {
  private static final long LOOK_AFTER_CLIENT_SECONDS = 5;

  private final NodeContainers containers;
  private final ContainerStreams streams;
  private final ContainerViews views;
  private final NodeImages images;
  private final NodeRegistries registries;
  private final Machine machine;
  private final EventHistory events;
  private final Runnable shutdown;
  private final ArchiveStreams archives = new ArchiveStreams();

  Calls(
      NodeContainers containers,
      ContainerStreams streams,
      ContainerViews views,
      NodeImages images,
      NodeRegistries registries,
      Machine machine,
      EventHistory events,
      Runnable shutdown) {
    this.containers = containers;
    this.streams = streams;
    this.views = views;
    this.images = images;
    this.registries = registries;
    this.machine = machine;
    this.events = events;
    this.shutdown = shutdown;
  }

  /** Does what is asked and answers with the line that ends the call. */
  byte[] handle(Request request, Conversation client) throws IOException {
    return switch (request) {
      case Request.Create(var settings) -> Wire.result(containers.create(settings));
      case Request.Start(var container) -> done(() -> containers.start(container));
      case Request.Attach(var container) -> Wire.result(streams.attach(container));
      case Request.Await(var container, var exec) -> await(container, exec, client);
      case Request.Stop(var container, var grace) -> done(() -> containers.stop(container, grace));
      case Request.Kill(var container, var exec, var signal, var all) ->
          done(() -> containers.kill(container, exec, signal, all));
      case Request.Pause(var container) -> done(() -> containers.pause(container));
      case Request.Unpause(var container) -> done(() -> containers.unpause(container));
      case Request.Remove(var container, var force) ->
          done(() -> containers.remove(container, force));
      case Request.Update(var container, var limits) ->
          Wire.result(new Listing.OfTexts(containers.update(container, limits)));
      case Request.ReadStats(var container) -> Wire.result(views.stats(container));
      case Request.Top(var container) -> Wire.result(new Listing.OfProcesses(views.top(container)));
      case Request.Inspect(var container) -> Wire.result(views.inspect(container));
      case Request.ListContainers _ -> Wire.result(new Listing.OfContainers(views.list()));
      case Request.Logs(var container, var settings) -> logs(container, settings, client);
      case Request.Exec(var container, var settings, var detached) ->
          Wire.result(streams.exec(container, settings, detached));
      case Request.StartExec(var container, var exec) ->
          done(() -> streams.startExec(container, exec));
      case Request.Resize(var container, var exec, var size) ->
          done(() -> streams.resize(container, exec, size));
      case Request.OpenStream wanted -> openStream(wanted, client);
      case Request.EndOfStream(var token, var stream) ->
          Wire.result(streams.endOfStream(token, stream));
      case Request.ListImages _ -> Wire.result(new Listing.OfImages(images.list()));
      case Request.InspectImage(var image) -> Wire.result(new Listing.Tree(images.inspect(image)));
      case Request.RemoveImage(var image, var force) ->
          Wire.result(new Listing.OfTexts(images.remove(image, force, views.imagesInUse())));
      case Request.PruneImages(var all) ->
          Wire.result(images.prune(all, views.imagesInUse(), views.layersInUse()));
      case Request.Load _ -> load(client);
      case Request.Save(var names, var format) -> save(names, format, client);
      case Request.LoadLayout(var directory) -> Wire.result(images.load(directory));
      case Request.SaveLayout(var names, var directory) ->
          done(() -> images.save(names, directory));
      case Request.Pull(var settings, var user) -> registries.pull(settings, user, client);
      case Request.Push(var settings, var user) -> registries.push(settings, user, client);
      case Request.Tag(var image, var name) -> done(() -> images.tag(image, name));
      case Request.Info _ -> Wire.result(machine.info(views, images));
      case Request.Check _ -> Wire.result(machine.check());
      case Request.Version _ -> Wire.result(new Listing.Text(Machine.VERSION));
      case Request.Events(var filter) -> {
        events.follow(filter, client);
        yield Wire.done();
      }
      case Request.Shutdown _ -> {
        client.send(Wire.done());
        shutdown.run();
        yield Wire.done();
      }
    };
  }

  private static byte[] done(Runnable work) {
    work.run();
    return Wire.done();
  }

  /** The socket belongs to the streams from the answer on, so the answer is sent first. */
  private byte[] openStream(Request.OpenStream wanted, Conversation client) throws IOException {
    var token = wanted.token();
    var stream = wanted.stream();
    if (stream.equals("archive")) {
      archives.check(token);
      client.send(Wire.result(new StreamOpened(false)));
      archives.open(token, client.handOver());
      return Wire.done();
    }
    if (!List.of("stdin", "stdout", "stderr").contains(stream)) {
      throw new CaissonException(
          Reason.INVALID, "open stream '" + stream + "'", "there is no such stream", "");
    }
    streams.openStream(wanted, client);
    return Wire.done();
  }

  private byte[] load(Conversation client) throws IOException {
    var token = archives.expect();
    client.send(Wire.item(new Attached("", token, false)));
    try (var in = ArchiveStreams.in(archives.await(token))) {
      return Wire.result(images.load(in));
    }
  }

  private byte[] save(List<String> names, Images.ArchiveFormat format, Conversation client)
      throws IOException {
    images.check(names);
    var token = archives.expect();
    client.send(Wire.item(new Attached("", token, false)));
    try (var out = ArchiveStreams.out(archives.await(token))) {
      images.save(names, format, out);
    }
    return Wire.done();
  }

  private byte[] await(String container, Optional<String> exec, Conversation client)
      throws IOException {
    CompletableFuture<ExitStatus> end =
        exec.isPresent()
            ? streams.execEnded(container, exec.get())
            : containers.ends().ended(container);
    for (; ; ) {
      try {
        return Wire.result(end.get(LOOK_AFTER_CLIENT_SECONDS, TimeUnit.SECONDS));
      } catch (TimeoutException e) {
        if (client.isAbandoned()) {
          throw new IOException("the client is gone", e);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      } catch (ExecutionException e) {
        throw new IllegalStateException("an end is never exceptional", e);
      }
    }
  }

  private byte[] logs(String container, LogSettings settings, Conversation client)
      throws IOException {
    try (var log = streams.logs(container, settings.follow())) {
      if (settings.tail().isEmpty()) {
        sendAll(log, settings, client);
        return Wire.done();
      }
    }
    // The last lines: what is there is counted first, and then what comes is followed.
    int tail = settings.tail().get();
    long skip;
    try (var log = streams.logs(container, false)) {
      var last = new ArrayDeque<LogReader.Entry>();
      long whole = 0;
      for (Optional<LogReader.Entry> entry; (entry = log.next()).isPresent(); ) {
        whole++;
        last.add(entry.get());
        while (lines(last) > tail) {
          last.removeFirst();
        }
      }
      skip = whole - last.size();
    }
    try (var log = streams.logs(container, settings.follow())) {
      for (long i = 0; i < skip; i++) {
        log.next();
      }
      sendAll(log, settings, client);
    }
    return Wire.done();
  }

  private static long lines(ArrayDeque<LogReader.Entry> entries) {
    long ended =
        entries.stream()
            .filter(e -> e.bytes().length > 0 && e.bytes()[e.bytes().length - 1] == '\n')
            .count();
    var open =
        !entries.isEmpty()
            && (entries.peekLast().bytes().length == 0
                || entries.peekLast().bytes()[entries.peekLast().bytes().length - 1] != '\n');
    return open ? ended + 1 : ended;
  }

  private static void sendAll(LogReader log, LogSettings settings, Conversation client)
      throws IOException {
    for (Optional<LogReader.Entry> next; (next = log.next()).isPresent(); ) {
      var entry = next.get();
      if (settings.until().filter(until -> !entry.at().isBefore(until)).isPresent()) {
        return;
      }
      if (settings.since().filter(since -> entry.at().isBefore(since)).isEmpty()) {
        client.send(
            Wire.item(
                new dev.caisson.library.LogReader.Entry(entry.at(), entry.error(), entry.bytes())));
      }
    }
  }
}
