package dev.caisson.oci.registry;

import dev.caisson.json.JsonException;
import dev.caisson.oci.Digest;
import dev.caisson.oci.ImageException;
import dev.caisson.oci.Images;
import dev.caisson.oci.Platform;
import dev.caisson.oci.Reference;
import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Gets images from registries and sends them there. Thread-safe; several pulls of one image bring
 * each layer once.
 */
public final class Registries {
  private final Images images;
  private final Supplier<RegistrySettings> settings;
  private final Transport.Sleep sleep;

  /**
   * Registries for the images of a state root.
   *
   * @param settings asked at each call
   */
  public Registries(Images images, Supplier<RegistrySettings> settings) {
    this(images, settings, pause -> Thread.sleep(pause));
  }

  Registries(Images images, Supplier<RegistrySettings> settings, Transport.Sleep sleep) {
    this.images = images;
    this.settings = settings;
    this.sleep = sleep;
  }

  /**
   * Who asks, and how.
   *
   * @param credentials the user's logins
   * @param environment the user's, for proxies
   * @param insecure allow plain http and unknown certificates at the registry of the name
   * @param listener hears of what happens
   */
  public record Access(
      Credentials credentials,
      Map<String, String> environment,
      boolean insecure,
      Transfer.Listener listener) {}

  /**
   * Gets an image and unpacks it; interrupt the thread to cancel. What has come by then is used by
   * the next try.
   *
   * @param platform wanted, if it is not this machine's
   * @throws ImageException {@code NOT_FOUND}, {@code INVALID}, {@code UNAVAILABLE}, {@code DENIED},
   *     {@code INTERNAL}
   */
  public PulledImage pull(String name, Optional<Platform> platform, Access access)
      throws InterruptedException {
    String tried = "pull '" + name + "'";
    var reference = reference(name, tried);
    var inUse = settings(reference, access);
    try (var client = client(inUse, access)) {
      return new Puller(images, client, inUse, access.listener())
          .pull(reference, platform.orElseGet(Platform::own), platform.isPresent());
    } catch (ImageException | IOException | JsonException e) {
      throw failure(tried, e);
    }
  }

  /**
   * Sends an image to the registry its name tells.
   *
   * @param name full or short name of an image that is here
   * @return the digest it has there
   * @throws ImageException {@code NOT_FOUND}, {@code UNAVAILABLE}, {@code DENIED}, {@code INTERNAL}
   */
  public Digest push(String name, Access access) throws InterruptedException {
    String tried = "push '" + name + "'";
    var reference = reference(name, tried);
    var image = images.get(reference.toString());
    var inUse = settings(reference, access);
    try (var client = client(inUse, access)) {
      return new Pusher(images, client.endpoint(reference), reference, inUse, access.listener())
          .push(image);
    } catch (ImageException | IOException | JsonException e) {
      throw failure(tried, e);
    }
  }

  private static Reference reference(String name, String tried) {
    if (name.startsWith(Images.BUILTIN_PREFIX)) {
      throw new ImageException(
          ImageException.Kind.INVALID,
          tried,
          "names that begin with '" + Images.BUILTIN_PREFIX + "' belong to no registry",
          "give it another name with 'caisson tag'");
    }
    try {
      return Reference.parse(name);
    } catch (IllegalArgumentException e) {
      throw new ImageException(
          ImageException.Kind.INVALID, tried, String.valueOf(e.getMessage()), "", e);
    }
  }

  private RegistrySettings settings(Reference reference, Access access) {
    var node = settings.get();
    if (!access.insecure()) {
      return node;
    }
    var insecure = new HashSet<>(node.insecure());
    insecure.add(reference.registry());
    return node.withInsecure(insecure);
  }

  private RegistryClient client(RegistrySettings inUse, Access access) {
    return new RegistryClient(
        inUse,
        access.credentials(),
        Proxies.of(access.environment()),
        access.listener()::notice,
        sleep);
  }

  /** Every failure names the image; what failed below is told in the same sentence. */
  private static ImageException failure(String tried, Exception e) {
    return switch (e) {
      case ImageException failure ->
          new ImageException(
              failure.kind(),
              tried,
              failure.tried() + ": " + failure.found(),
              failure.advice(),
              failure);
      case JsonException failure ->
          new ImageException(
              ImageException.Kind.INVALID,
              tried,
              "the registry sends what is not the JSON that was wanted: " + failure.getMessage(),
              "",
              failure);
      default ->
          new ImageException(
              ImageException.Kind.INTERNAL, tried, String.valueOf(e.getMessage()), "", e);
    };
  }
}
