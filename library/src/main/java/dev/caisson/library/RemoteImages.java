package dev.caisson.library;

import dev.caisson.json.Json;
import dev.caisson.library.protocol.Attached;
import dev.caisson.library.protocol.Listing;
import dev.caisson.library.protocol.Request;
import dev.caisson.library.protocol.User;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** {@link Images} at the other end of a socket. */
final class RemoteImages implements Images {
  private static final int COPY_BUFFER = 256 << 10;

  private final Client client;

  RemoteImages(Client client) {
    this.client = client;
  }

  @Override
  public Pulled pull(PullSettings settings, Consumer<TransferProgress> progress) {
    return client.call(new Request.Pull(settings, User.own()), Pulled.class, progressTo(progress));
  }

  @Override
  public String push(PushSettings settings, Consumer<TransferProgress> progress) {
    return client
        .call(new Request.Push(settings, User.own()), Listing.Text.class, progressTo(progress))
        .text();
  }

  private static Consumer<byte[]> progressTo(Consumer<TransferProgress> progress) {
    return body -> progress.accept(Json.read(body, TransferProgress.class));
  }

  @Override
  public List<ImageSummary> list() {
    return client.repeatable(new Request.ListImages(), Listing.OfImages.class).images();
  }

  @Override
  public Map<String, Object> inspect(String image) {
    return client.repeatable(new Request.InspectImage(image), Listing.Tree.class).tree();
  }

  @Override
  public void tag(String image, String name) {
    client.repeatable(new Request.Tag(image, name), Client.Done.class);
  }

  @Override
  public List<String> remove(String image, boolean force) {
    return client
        .call(new Request.RemoveImage(image, force), Listing.OfTexts.class, Client::noItems)
        .texts();
  }

  @Override
  public Pruned prune(boolean all) {
    return client.call(new Request.PruneImages(all), Pruned.class, Client::noItems);
  }

  @Override
  public Loaded load(InputStream archive) {
    return client.call(
        new Request.Load(),
        Loaded.class,
        item -> sendTo(Json.read(item, Attached.class).token(), archive));
  }

  @Override
  public Loaded loadLayout(Path directory) {
    return client.call(
        new Request.LoadLayout(directory.toAbsolutePath()), Loaded.class, Client::noItems);
  }

  @Override
  public void saveLayout(List<String> images, Path directory) {
    client.call(
        new Request.SaveLayout(images, directory.toAbsolutePath()),
        Client.Done.class,
        Client::noItems);
  }

  @Override
  public void save(List<String> images, ArchiveFormat format, OutputStream archive) {
    client.call(
        new Request.Save(images, format),
        Client.Done.class,
        item -> receiveFrom(Json.read(item, Attached.class).token(), archive));
  }

  private void sendTo(String token, InputStream archive) {
    var connection = RemoteAttachment.openStream(client, token, "archive");
    try (connection) {
      var buffer = new byte[COPY_BUFFER];
      for (int n; (n = archive.read(buffer)) >= 0; ) {
        connection.write(buffer, 0, n);
      }
      connection.endInput();
      // The daemon closes its side when it has read what it wants; until then the archive is not
      // ours to drop.
      int n;
      do {
        n = connection.read(buffer, 0, buffer.length);
      } while (n >= 0);
    } catch (IOException e) {
      // The daemon may refuse in the middle; its answer to the call says why, so this end is not
      // the news.
      return;
    }
  }

  private void receiveFrom(String token, OutputStream archive) {
    var connection = RemoteAttachment.openStream(client, token, "archive");
    try (connection) {
      var buffer = new byte[COPY_BUFFER];
      for (int n; (n = connection.read(buffer, 0, buffer.length)) >= 0; ) {
        archive.write(buffer, 0, n);
      }
    } catch (IOException e) {
      throw new CaissonException(
          Reason.UNAVAILABLE, "save images", String.valueOf(e.getMessage()), "", e);
    }
  }
}
