package dev.caisson.oci.registry;

import dev.caisson.json.Json;
import dev.caisson.json.JsonException;
import dev.caisson.json.JsonLimits;
import dev.caisson.oci.Descriptor;
import dev.caisson.oci.Digest;
import dev.caisson.oci.Image;
import dev.caisson.oci.ImageConfig;
import dev.caisson.oci.ImageException;
import dev.caisson.oci.Images;
import dev.caisson.oci.Index;
import dev.caisson.oci.Intake;
import dev.caisson.oci.Manifest;
import dev.caisson.oci.Platform;
import dev.caisson.oci.Reference;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Gets one image: finds what its name means for a platform, then gets all layers at once and
 * unpacks them in order while others still come.
 */
final class Puller {
  /** Documents of strangers: names of layers, settings, history. */
  private static final JsonLimits LIMITS = new JsonLimits(8 << 20, 50, 200_000);

  private static final int DEEPEST_LIST = 4;

  /** Where a name keeps for which platform it was asked. */
  private static final String PLATFORM = "dev.caisson.image.platform";

  private final Images images;
  private final RegistryClient client;
  private final RegistrySettings settings;
  private final Transfer.Listener listener;

  Puller(
      Images images, RegistryClient client, RegistrySettings settings, Transfer.Listener listener) {
    this.images = images;
    this.client = client;
    this.settings = settings;
    this.listener = listener;
  }

  /** A manifest and who said that it is for the platform. */
  private record Choice(Descriptor target, byte[] document, Optional<Platform> announced) {}

  /** A manifest or a list, by its bytes. */
  private record Named(Descriptor descriptor, byte[] document) {}

  PulledImage pull(Reference reference, Platform platform, boolean isPlatformGiven)
      throws IOException, InterruptedException {
    String name = reference.toString();
    var overall = new Meter(listener, name, 0);
    overall.enter(Transfer.Phase.RESOLVING, 0);
    var before = images.find(name);
    if (before.isPresent() && isStill(reference, before.get(), platform)) {
      overall.enter(Transfer.Phase.EXISTS, 0);
      return new PulledImage(name, before.get().id(), before.get().digest(), false, List.of());
    }
    try (var intake = images.intake()) {
      var resolved = resolve(reference);
      var sources = client.sources(reference, Mirror.Capability.PULL);
      var choice =
          choose(resolved, Optional.empty(), platform, sources, 0)
              .orElseThrow(() -> nothingFor(platform, resolved));
      var pulled = get(intake, choice, sources, platform, isPlatformGiven, name);
      var target =
          choice
              .target()
              .withAnnotation(Image.DIGEST_ANNOTATION, resolved.descriptor().digest().value())
              .withAnnotation(PLATFORM, platform.toString());
      intake.name(name, target);
      overall.enter(Transfer.Phase.DONE, 0);
      return new PulledImage(
          name,
          pulled.id(),
          resolved.descriptor().digest(),
          before.filter(image -> image.id().equals(pulled.id())).isEmpty(),
          pulled.warnings());
    }
  }

  // ---- what a name means

  /** Asks without spending a pull, which some registries count. */
  private boolean isStill(Reference reference, Image image, Platform platform)
      throws InterruptedException, IOException {
    if (!image.target().annotation(PLATFORM).equals(platform.toString())
        || !images.isWhole(image)) {
      return false;
    }
    if (reference.digest().isPresent()) {
      return true;
    }
    var now =
        RegistryClient.first(
            client.sources(reference, Mirror.Capability.RESOLVE),
            source -> source.digest(reference.tag().orElseThrow()));
    return now.filter(image.digest()::equals).isPresent();
  }

  private Named resolve(Reference reference) throws IOException, InterruptedException {
    if (reference.digest().isPresent()) {
      var digest = reference.digest().get();
      return RegistryClient.first(
          client.sources(reference, Mirror.Capability.PULL), source -> named(source, digest));
    }
    String tag = reference.tag().orElseThrow();
    return RegistryClient.first(
        client.sources(reference, Mirror.Capability.RESOLVE),
        source -> {
          var document = source.manifest(tag);
          return new Named(Descriptor.of(type(document), document.bytes()), document.bytes());
        });
  }

  private static Named named(Source source, Digest digest) throws InterruptedException {
    var document = source.manifest(digest.value());
    var found = Descriptor.of(type(document), document.bytes());
    if (!found.digest().equals(digest)) {
      throw new ImageException(
          ImageException.Kind.INVALID,
          "get manifest '" + digest + "'",
          "'"
              + source.endpoint().origin().authority()
              + "' sends one with digest "
              + found.digest(),
          "");
    }
    return new Named(found, document.bytes());
  }

  /**
   * What a document is: what it calls itself, else what the server calls it, else what is in it.
   * One that could be read as both a manifest and a list is an attack.
   */
  private static String type(Document document) {
    var tree = Json.readTree(document.bytes(), "manifest", LIMITS);
    if (!(tree instanceof Map<?, ?> fields)) {
      throw unusable("it is not an object");
    }
    boolean isList = fields.containsKey("manifests");
    boolean isManifest = fields.containsKey("layers") || fields.containsKey("config");
    if (fields.containsKey("fsLayers")) {
      throw unusable("it is in Docker's first format, which nobody writes any more");
    }
    if (isList == isManifest) {
      throw unusable("it is neither a manifest nor a list of manifests, or both");
    }
    String type =
        fields.get("mediaType") instanceof String own && !own.isEmpty() ? own : document.type();
    var fitting =
        isList
            ? List.of(Descriptor.INDEX, Descriptor.DOCKER_INDEX)
            : List.of(Descriptor.MANIFEST, Descriptor.DOCKER_MANIFEST);
    return fitting.contains(type) ? type : fitting.getFirst();
  }

  private static ImageException unusable(String found) {
    return new ImageException(ImageException.Kind.INVALID, "read the manifest", found, "");
  }

  /** Goes down through lists to the one that fits best. */
  private Optional<Choice> choose(
      Named named, Optional<Platform> announced, Platform platform, List<Source> sources, int depth)
      throws IOException, InterruptedException {
    if (!named.descriptor().isIndex()) {
      return Optional.of(new Choice(named.descriptor(), named.document(), announced));
    }
    if (depth == DEEPEST_LIST) {
      throw unusable("its lists of manifests are nested too deep");
    }
    for (var each : platform.choices(index(named).manifests())) {
      var next = RegistryClient.first(sources, source -> named(source, each.digest()));
      var choice =
          choose(next, Platform.of(each).or(() -> announced), platform, sources, depth + 1);
      if (choice.isPresent() && fits(choice.get(), platform, sources)) {
        return choice;
      }
    }
    return Optional.empty();
  }

  /** Where no list tells the platform, the config does. */
  private boolean fits(Choice choice, Platform platform, List<Source> sources)
      throws IOException, InterruptedException {
    if (choice.announced().isPresent()) {
      return true;
    }
    var config = config(manifest(choice), sources);
    return Platform.of(Json.read(config, ImageConfig.class, "config", LIMITS))
        .filter(platform::accepts)
        .isPresent();
  }

  private static Index index(Named named) {
    return Json.read(named.document(), Index.class, "list of manifests", LIMITS);
  }

  private static ImageException nothingFor(Platform platform, Named resolved) {
    var offered =
        index(resolved).manifests().stream()
            .flatMap(each -> Platform.of(each).stream())
            .map(Platform::toString)
            .filter(each -> !each.startsWith("unknown/"))
            .distinct()
            .toList();
    return new ImageException(
        ImageException.Kind.NOT_FOUND,
        "choose the image for '" + platform + "'",
        "there is none; there is " + String.join(", ", offered),
        "name one of these with --platform");
  }

  // ---- what it consists of

  private record Content(Digest id, List<String> warnings) {}

  private Content get(
      Intake intake,
      Choice choice,
      List<Source> sources,
      Platform platform,
      boolean isPlatformGiven,
      String name)
      throws IOException, InterruptedException {
    var manifest = manifest(choice);
    byte[] configDocument =
        intake.keep(manifest.config())
            ? intake.read(manifest.config().digest())
            : config(manifest, sources);
    var config = config(configDocument, manifest);
    var warnings = new ArrayList<>(checkPlatform(config, choice, platform, isPlatformGiven));
    intake.add(choice.document());
    intake.add(configDocument);
    try (var downloads =
        new Downloads(intake, client, settings, sources, listener, manifest.layers())) {
      warnings.addAll(intake.unpack(name, manifest, config, downloads, downloads));
      downloads.awaitAll();
    }
    return new Content(manifest.config().digest(), warnings);
  }

  private static Manifest manifest(Choice choice) {
    var manifest = Json.read(choice.document(), Manifest.class, "manifest", LIMITS);
    for (Descriptor layer : manifest.layers()) {
      if (layer.size() < 0) {
        throw unusable("layer '" + layer.digest() + "' has the size " + layer.size());
      }
    }
    return manifest;
  }

  private static byte[] config(Manifest manifest, List<Source> sources)
      throws IOException, InterruptedException {
    return RegistryClient.first(
        sources,
        source -> {
          byte[] document = source.config(manifest.config());
          if (!Digest.of(document).equals(manifest.config().digest())) {
            throw new ImageException(
                ImageException.Kind.INVALID,
                "get config '" + manifest.config().digest() + "'",
                "'" + source.endpoint().origin().authority() + "' sends one with another digest",
                "");
          }
          return document;
        });
  }

  private static ImageConfig config(byte[] document, Manifest manifest) {
    try {
      return Json.read(document, ImageConfig.class, "config", LIMITS);
    } catch (JsonException e) {
      throw new ImageException(
          ImageException.Kind.INVALID,
          "read config '" + manifest.config().digest() + "'",
          "it is of the type '"
              + manifest.config().mediaType()
              + "' and not that of an image of containers: "
              + e.getMessage(),
          "",
          e);
    }
  }

  /** The list decides; what the config says against it is only told. */
  private static List<String> checkPlatform(
      ImageConfig config, Choice choice, Platform platform, boolean isPlatformGiven) {
    if (!config.os().isEmpty() && !config.os().equals(platform.os())) {
      throw new ImageException(
          ImageException.Kind.INVALID,
          "choose the image for '" + platform + "'",
          "the only one is for the operating system '" + config.os() + "'",
          "");
    }
    var own = Platform.of(config);
    if (own.isEmpty() || platform.accepts(own.get())) {
      return List.of();
    }
    if (choice.announced().isPresent()) {
      return List.of(
          "the list of platforms calls the image '"
              + choice.announced().get()
              + "', its config '"
              + own.get()
              + "'; it was taken as the list says");
    }
    return List.of(
        "the image is for '"
            + own.get()
            + "' and there is no other; "
            + (isPlatformGiven ? "wanted" : "this machine")
            + " is '"
            + platform
            + "'");
  }
}
