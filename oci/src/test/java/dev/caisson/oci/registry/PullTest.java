package dev.caisson.oci.registry;

import static dev.caisson.oci.registry.TestImage.bytes;
import static dev.caisson.oci.registry.TestImage.descriptor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import dev.caisson.linux.DirectoryHandle;
import dev.caisson.oci.Descriptor;
import dev.caisson.oci.Digest;
import dev.caisson.oci.ImageException;
import dev.caisson.oci.Images;
import dev.caisson.oci.LayerText;
import dev.caisson.oci.Platform;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("root")
@Timeout(60)
class PullTest {
  private static final Platform AMD64 = Platform.parse("linux/amd64");
  private static final Duration STALL = Duration.ofMillis(300);

  @TempDir Path temporary;
  private FakeRegistry registry;
  private Images images;
  private RegistrySettings settings =
      RegistrySettings.USUAL.withPatience(
          new Retries(3, Duration.ofMillis(1), Duration.ofSeconds(60)), Duration.ofSeconds(20));
  private Credentials credentials = Credentials.none();
  private final List<Duration> pauses = new CopyOnWriteArrayList<>();
  private final List<String> notices = new CopyOnWriteArrayList<>();
  private final List<Transfer> transfers = new CopyOnWriteArrayList<>();

  @BeforeEach
  void open() throws IOException {
    registry = FakeRegistry.start();
    images = Images.open(root());
  }

  @AfterEach
  void removeAll() throws IOException {
    registry.close();
    try (var handle = DirectoryHandle.open(temporary)) {
      handle.removeChildren();
    }
  }

  private Path root() {
    return temporary.resolve("root");
  }

  private String name(String rest) {
    return registry.host() + "/" + rest;
  }

  private PulledImage pull(String name) throws InterruptedException {
    return pull(name, AMD64);
  }

  private PulledImage pull(String name, Platform platform) throws InterruptedException {
    return registries().pull(name, Optional.of(platform), access());
  }

  private Registries registries() {
    return new Registries(images, () -> settings, pauses::add);
  }

  private Registries.Access access() {
    return new Registries.Access(
        credentials,
        Map.of(),
        false,
        new Transfer.Listener() {
          @Override
          public void changed(Transfer transfer) {
            transfers.add(transfer);
          }

          @Override
          public void notice(String text) {
            notices.add(text);
          }
        });
  }

  private ImageException failure(String name) {
    return catchThrowableOfType(ImageException.class, () -> pull(name));
  }

  private List<String> partialBlobs() throws IOException {
    try (var files = Files.list(root().resolve("content").resolve("partial"))) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  /** Answers blobs of one digest in another way, the first {@code times} times. */
  private void playAtBlob(
      FakeRegistry registry, Digest digest, int times, FakeRegistry.Trick trick) {
    var left = new AtomicInteger(times);
    registry.play(exchange ->
        exchange.getRequestURI().getPath().endsWith("/blobs/" + digest)
            && left.getAndDecrement() > 0
            && trick.answer(exchange));
  }

  private static boolean answer(HttpExchange exchange, int status, String text) throws IOException {
    FakeRegistry.send(exchange, status, text);
    return true;
  }

  // ---- the usual way

  @Test
  void anImageIsThereWholeUnderItsFullName() throws Exception {
    var image = TestImage.of("a", "b", "c");
    var digest = image.into(registry, "1");

    var pulled = pull(name("team/app:1"));

    assertThat(pulled.name()).isEqualTo(name("team/app:1"));
    assertThat(pulled.digest()).isEqualTo(digest);
    assertThat(pulled.id()).isEqualTo(Digest.of(image.config()));
    assertThat(pulled.isNew()).isTrue();
    assertThat(pulled.warnings()).isEmpty();
    var kept = images.get(name("team/app:1"));
    assertThat(images.isWhole(kept)).isTrue();
    assertThat(kept.layers()).hasSize(3);
    assertThat(partialBlobs()).isEmpty();
  }

  @Test
  void aSecondPullOnlyAsksWhatTheTagMeans() throws Exception {
    TestImage.of("a").into(registry, "1");
    pull(name("app:1"));
    int before = registry.questions().size();

    var again = pull(name("app:1"));

    assertThat(again.isNew()).isFalse();
    assertThat(registry.questions().subList(before, registry.questions().size()))
        .extracting(FakeRegistry.Question::line)
        .containsExactly("GET /v2/", "HEAD /v2/app/manifests/1");
  }

  @Test
  void aTagThatMovedIsPulledAgainAndLayersThatStayedAreNot() throws Exception {
    TestImage.of("a", "b").into(registry, "1");
    pull(name("app:1"));
    var next = TestImage.of("a", "c");
    next.into(registry, "1");

    var pulled = pull(name("app:1"));

    assertThat(pulled.isNew()).isTrue();
    assertThat(pulled.id()).isEqualTo(Digest.of(next.config()));
    assertThat(registry.questions("/blobs/" + next.layer(0))).hasSize(1);
  }

  @Test
  void layersAreUnpackedWhileOthersStillCome() throws Exception {
    var image = TestImage.of("a", "b");
    image.into(registry, "1");
    var unpacking = new CountDownLatch(1);
    playAtBlob(
        registry,
        image.layer(1),
        1,
        _ -> {
          awaitOrFail(unpacking);
          return false;
        });

    var access = access();
    registries()
        .pull(
            name("app:1"),
            Optional.of(AMD64),
            new Registries.Access(
                credentials,
                Map.of(),
                false,
                new Transfer.Listener() {
                  @Override
                  public void changed(Transfer transfer) {
                    access.listener().changed(transfer);
                    if (transfer.phase() == Transfer.Phase.UNPACKING) {
                      unpacking.countDown();
                    }
                  }

                  @Override
                  public void notice(String text) {}
                }));

    assertThat(images.isWhole(images.get(name("app:1")))).isTrue();
  }

  private static void awaitOrFail(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void pullsOfOneImageAtOnceBringEachLayerOnce() throws Exception {
    var image = TestImage.of("a", "b", "c");
    image.into(registry, "1");

    var pulls =
        IntStream.range(0, 4)
            .mapToObj(_ ->
                CompletableFuture.supplyAsync(
                    () -> {
                      try {
                        return pull(name("app:1"));
                      } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                      }
                    },
                    task -> Thread.ofPlatform().start(task)))
            .toList();

    for (var each : pulls) {
      assertThat(each.get(30, TimeUnit.SECONDS).id()).isEqualTo(Digest.of(image.config()));
    }
    for (int i = 0; i < 3; i++) {
      assertThat(registry.questions("/blobs/" + image.layer(i))).hasSize(1);
    }
  }

  @Test
  void pruningLeavesAnImageThatIsOnItsWayIn() throws Exception {
    var image = TestImage.of("a", "b");
    image.into(registry, "1");
    var pruned = new CompletableFuture<Images.Pruned>();
    playAtBlob(
        registry,
        image.layer(1),
        1,
        exchange -> {
          FakeRegistry.sendPart(exchange, 200, image.layers().get(1), 700);
          // The first layer is there or being unpacked, the second is half there.
          while (!Files.exists(root().resolve("content/sha256").resolve(image.layer(0).hex()))) {
            Thread.onSpinWait();
          }
          pruned.complete(images.prune(_ -> false, Set.of()));
          return true;
        });

    pull(name("app:1"));

    assertThat(pruned.join().blobs()).isEmpty();
    assertThat(images.isWhole(images.get(name("app:1")))).isTrue();
  }

  // ---- broken downloads

  @Test
  @Tag("case-22")
  void aDownloadThatBreaksOffGoesOnFromItsLastByte() throws Exception {
    var image = TestImage.of("a");
    image.into(registry, "1");
    playAtBlob(
        registry,
        image.layer(0),
        1,
        exchange -> {
          sendHalf(exchange, image);
          return true;
        });

    pull(name("app:1"));

    assertThat(registry.questions("/blobs/" + image.layer(0)))
        .extracting(FakeRegistry.Question::range)
        .containsExactly("", "bytes=600-");
    assertThat(pauses).hasSize(1);
  }

  @Test
  @Tag("case-22")
  void aDownloadThatStandsStillIsTakenUpAgain() throws Exception {
    settings = settings.withPatience(settings.retries(), STALL);
    var image = TestImage.of("a");
    image.into(registry, "1");
    var end = new CountDownLatch(1);
    playAtBlob(
        registry,
        image.layer(0),
        1,
        exchange -> {
          FakeRegistry.sendPart(exchange, 200, image.layers().getFirst(), 600);
          awaitOrFail(end);
          return true;
        });

    pull(name("app:1"));
    end.countDown();

    assertThat(notices).singleElement().asString().contains("nothing came for 300 ms");
    assertThat(registry.questions("/blobs/" + image.layer(0))).hasSize(2);
  }

  @Test
  @Tag("case-22")
  void whatCameBeforeAPullFailedIsUsedByTheNextProgram() throws Exception {
    var image = TestImage.of("a");
    image.into(registry, "1");
    playAtBlob(
        registry,
        image.layer(0),
        4,
        exchange -> {
          if (FakeRegistry.header(exchange, "Range").isEmpty()) {
            sendHalf(exchange, image);
            return true;
          }
          return answer(exchange, 503, "");
        });

    assertThat(failure(name("app:1")))
        .hasMessageContaining("pull '" + name("app:1") + "'")
        .extracting(ImageException::kind)
        .isEqualTo(ImageException.Kind.UNAVAILABLE);
    assertThat(images.find(name("app:1"))).isEmpty();
    assertThat(partialBlobs()).containsExactly(image.layer(0).hex());

    images = Images.open(root());
    pull(name("app:1"));

    assertThat(registry.questions("/blobs/" + image.layer(0)).getLast().range())
        .isEqualTo("bytes=600-");
    assertThat(partialBlobs()).isEmpty();
  }

  @Test
  void aHostThatKnowsNoRangesSendsAllAgain() throws Exception {
    var image = TestImage.of("a");
    image.into(registry, "1");
    playAtBlob(
        registry,
        image.layer(0),
        2,
        exchange -> {
          if (FakeRegistry.header(exchange, "Range").isEmpty()) {
            FakeRegistry.sendPart(exchange, 200, image.layers().getFirst(), 600);
          } else {
            FakeRegistry.send(exchange, 200, image.layers().getFirst());
          }
          return true;
        });

    pull(name("app:1"));

    assertThat(images.isWhole(images.get(name("app:1")))).isTrue();
  }

  @Test
  void aRangeThatDoesNotExistStartsAgain() throws Exception {
    var image = TestImage.of("a");
    image.into(registry, "1");
    Files.write(root().resolve("content/partial").resolve(image.layer(0).hex()), new byte[600]);
    playAtBlob(registry, image.layer(0), 1, exchange -> answer(exchange, 416, ""));

    pull(name("app:1"));

    assertThat(images.isWhole(images.get(name("app:1")))).isTrue();
  }

  @Test
  void whatAPowerCutDamagedComesAgain() throws Exception {
    var image = TestImage.of("a");
    image.into(registry, "1");
    Files.write(root().resolve("content/partial").resolve(image.layer(0).hex()), new byte[600]);

    pull(name("app:1"));

    assertThat(registry.questions("/blobs/" + image.layer(0)))
        .extracting(FakeRegistry.Question::range)
        .containsExactly("bytes=600-", "");
  }

  @Test
  void anInterruptEndsAPullAndKeepsWhatCame() throws Exception {
    var image = TestImage.of("a");
    image.into(registry, "1");
    var half = new CountDownLatch(1);
    var end = new CountDownLatch(1);
    playAtBlob(
        registry,
        image.layer(0),
        1,
        exchange -> {
          sendHalf(exchange, image);
          half.countDown();
          awaitOrFail(end);
          return true;
        });
    var outcome = new CompletableFuture<Throwable>();
    var thread =
        Thread.ofPlatform()
            .start(() -> {
              try {
                pull(name("app:1"));
                outcome.complete(new AssertionError("not interrupted"));
              } catch (ImageException | InterruptedException e) {
                outcome.complete(e);
              }
            });
    awaitOrFail(half);
    thread.interrupt();

    assertThat(outcome.get(10, TimeUnit.SECONDS)).isNotInstanceOf(AssertionError.class);
    end.countDown();
    assertThat(images.find(name("app:1"))).isEmpty();
    pull(name("app:1"));
    assertThat(registry.questions("/blobs/" + image.layer(0)).getLast().range())
        .isEqualTo("bytes=600-");
  }

  /** Breaks off when the first 600 bytes of the image's layer are in the store. */
  private void sendHalf(HttpExchange exchange, TestImage image) throws IOException {
    FakeRegistry.sendPart(exchange, 200, image.layers().getFirst(), 600);
    while (partialSize(image.layer(0)) < 600) {
      Thread.onSpinWait();
    }
  }

  private long partialSize(Digest digest) {
    return root().resolve("content/partial").resolve(digest.hex()).toFile().length();
  }

  // ---- what is not what it should be

  @Test
  void aBlobWithAnotherDigestIsNotTakenIn() throws Exception {
    var image = TestImage.of("a");
    image.into(registry, "1");
    byte[] wrong = image.layers().getFirst().clone();
    wrong[0]++;
    playAtBlob(
        registry,
        image.layer(0),
        9,
        exchange -> {
          FakeRegistry.send(exchange, 200, wrong);
          return true;
        });

    var failure = failure(name("app:1"));

    assertThat(failure.kind()).isEqualTo(ImageException.Kind.INVALID);
    assertThat(failure.getMessage()).contains(image.layer(0).value(), "another digest");
    assertThat(partialBlobs()).isEmpty();
    assertThat(images.all()).isEmpty();
  }

  @Test
  @Tag("case-118")
  void aBlobIsReadNoFurtherThanItsDescriptorSays() throws Exception {
    var image = TestImage.of("a");
    image.into(registry, "1");
    byte[] longer = new byte[image.layers().getFirst().length + 1];
    playAtBlob(
        registry,
        image.layer(0),
        9,
        exchange -> {
          FakeRegistry.send(exchange, 200, longer);
          return true;
        });

    assertThat(failure(name("app:1")))
        .hasMessageContaining("is longer than the")
        .extracting(ImageException::kind)
        .isEqualTo(ImageException.Kind.INVALID);
  }

  @Test
  @Tag("case-118")
  void aManifestIsReadNoFurtherThanFourMebibytes() throws Exception {
    byte[] manifest = TestImage.of("a").manifest();
    byte[] blanks = new byte[1 << 20];
    Arrays.fill(blanks, (byte) ' ');
    registry.play(exchange -> {
      if (!exchange.getRequestURI().getPath().contains("/manifests/")) {
        return false;
      }
      exchange.sendResponseHeaders(200, 0);
      try (var body = exchange.getResponseBody()) {
        body.write(manifest, 0, manifest.length - 1);
        for (int i = 0; i < 100; i++) {
          body.write(blanks);
        }
      } catch (IOException e) {
        // The reader has had enough, which is what is wanted.
        return true;
      }
      return true;
    });

    assertThat(failure(name("app:1")))
        .hasMessageContaining("more than 4194304 bytes")
        .extracting(ImageException::kind)
        .isEqualTo(ImageException.Kind.INVALID);
  }

  @Test
  @Tag("case-118")
  void listsInListsAreFollowedOnlySoDeep() throws Exception {
    var image = TestImage.of("a");
    image.into(registry, "image");
    byte[] list = TestImage.list(List.of(image.entry("linux/amd64")));
    for (int i = 0; i < 50; i++) {
      registry.putManifest("1", Descriptor.INDEX, list);
      list = TestImage.list(List.of(descriptor(Descriptor.INDEX, list)));
    }
    registry.putManifest("1", Descriptor.INDEX, list);

    assertThat(failure(name("app:1"))).hasMessageContaining("nested too deep");
  }

  @Test
  @Tag("case-118")
  void hugeListsAreRefused() throws Exception {
    var entries = new ArrayList<Map<String, Object>>();
    var entry = descriptor(Descriptor.MANIFEST, bytes("x"));
    for (int i = 0; i < 100_000; i++) {
      entries.add(entry);
    }
    registry.putManifest("1", Descriptor.INDEX, TestImage.list(entries));

    assertThat(failure(name("app:1")).kind()).isEqualTo(ImageException.Kind.INVALID);
  }

  @Test
  void aDocumentThatIsManifestAndListAtOnceIsRefused() throws Exception {
    registry.putManifest(
        "1",
        Descriptor.MANIFEST,
        bytes("{\"schemaVersion\":2,\"manifests\":[],\"layers\":[],\"config\":{}}"));

    assertThat(failure(name("app:1"))).hasMessageContaining("or both");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "{}",
        "<html>",
        "{\"schemaVersion\":1,\"fsLayers\":[]}",
        "{\"layers\":[{}],\"config\":{}}",
        "{\"layers\":{},\"config\":[]}",
        "{\"layers\":[],\"config\":{\"mediaType\":\"x\",\"digest\":\"md5:1\",\"size\":1}}"
      })
  void whatIsNoManifestIsRefusedWithTheName(String document) throws Exception {
    registry.putManifest("1", Descriptor.MANIFEST, bytes(document));

    var failure = failure(name("app:1"));

    assertThat(failure.kind()).isEqualTo(ImageException.Kind.INVALID);
    assertThat(failure.getMessage()).startsWith("pull '" + name("app:1") + "'");
    assertThat(images.all()).isEmpty();
  }

  @Test
  void whatIsNoImageOfContainersIsRefused() throws Exception {
    byte[] config = bytes("{\"name\":\"chart\"}");
    registry.putBlob(config);
    registry.putManifest(
        "1",
        Descriptor.MANIFEST,
        TestImage.manifest(descriptor("application/vnd.example.chart", config), List.of()));

    assertThat(failure(name("app:1"))).hasMessageContaining("application/vnd.example.chart");
  }

  @Test
  void aBlobThatWasCutOnTheDiskComesAgain() throws Exception {
    var image = TestImage.of("a");
    image.into(registry, "1");
    pull(name("app:1"));
    var blob = root().resolve("content/sha256").resolve(image.layer(0).hex());
    Files.write(blob, Arrays.copyOf(image.layers().getFirst(), 100));

    pull(name("app:1"));

    assertThat(blob).hasBinaryContent(image.layers().getFirst());
  }

  @Test
  void aDamagedLayerLeavesNoImage() throws Exception {
    var layers =
        List.of(LayerText.layer("file a 0644 \"a\""), bytes("no archive at all".repeat(99)));
    TestImage.of("amd64", layers).into(registry, "1");

    assertThat(failure(name("app:1")).kind()).isEqualTo(ImageException.Kind.INVALID);
    assertThat(images.all()).isEmpty();
  }

  // ---- platforms

  @Test
  @Tag("case-32")
  void digestsOfListsAndOfManifestsAreBothNames() throws Exception {
    var image = TestImage.of("a");
    var manifest = image.into(registry, "image");
    var list =
        registry.putManifest(
            "1", Descriptor.INDEX, TestImage.list(List.of(image.entry("linux/amd64"))));

    assertThat(pull(name("app@" + list)).id()).isEqualTo(Digest.of(image.config()));
    assertThat(pull(name("app@" + manifest)).id()).isEqualTo(Digest.of(image.config()));
    assertThat(images.get(name("app@" + list)).target().digest()).isEqualTo(manifest);
  }

  @Test
  @Tag("case-32")
  void aListInAListIsLookedInto() throws Exception {
    var image = TestImage.of("a");
    image.into(registry, "image");
    var other = TestImage.forPlatform("arm64", "b");
    other.into(registry, "other");
    byte[] inner = TestImage.list(List.of(image.entry("linux/amd64")));
    registry.putManifest("inner", Descriptor.INDEX, inner);
    registry.putManifest(
        "1",
        Descriptor.INDEX,
        TestImage.list(List.of(other.entry("linux/arm64"), descriptor(Descriptor.INDEX, inner))));

    assertThat(pull(name("app:1")).id()).isEqualTo(Digest.of(image.config()));
  }

  @Test
  @Tag("case-32")
  void theListDecidesAgainstTheConfigAndThatIsTold() throws Exception {
    var image = TestImage.forPlatform("amd64", "a");
    image.into(registry, "image");
    registry.putManifest(
        "1", Descriptor.INDEX, TestImage.list(List.of(image.entry("linux/arm64"))));

    var pulled = pull(name("app:1"), Platform.parse("linux/arm64"));

    assertThat(pulled.warnings())
        .singleElement()
        .asString()
        .contains("linux/arm64/v8", "linux/amd64");
    assertThat(images.isWhole(images.get(name("app:1")))).isTrue();
  }

  @Test
  void aSingleImageOfAnotherPlatformIsTakenWithAWarning() throws Exception {
    TestImage.forPlatform("arm64", "a").into(registry, "1");

    assertThat(pull(name("app:1")).warnings()).singleElement().asString().contains("linux/arm64");
  }

  @Test
  void whatIsThereIsNamedWhenNothingFits() throws Exception {
    var image = TestImage.forPlatform("arm64", "a");
    image.into(registry, "image");
    registry.putManifest(
        "1",
        Descriptor.INDEX,
        TestImage.list(List.of(image.entry("linux/arm64"), image.entry("unknown/unknown"))));

    var failure = failure(name("app:1"));

    assertThat(failure.kind()).isEqualTo(ImageException.Kind.NOT_FOUND);
    assertThat(failure.getMessage()).contains("there is linux/arm64/v8 (");
  }

  @Test
  void anotherPlatformOfTheSameTagIsPulledAnew() throws Exception {
    var here = TestImage.forPlatform("amd64", "a");
    var there = TestImage.forPlatform("arm64", "b");
    here.into(registry, "here");
    there.into(registry, "there");
    registry.putManifest(
        "1",
        Descriptor.INDEX,
        TestImage.list(List.of(here.entry("linux/amd64"), there.entry("linux/arm64"))));

    assertThat(pull(name("app:1")).id()).isEqualTo(Digest.of(here.config()));
    assertThat(pull(name("app:1"), Platform.parse("linux/arm64")).id())
        .isEqualTo(Digest.of(there.config()));
  }

  // ---- refusals that may pass, and those that do not

  @Test
  @Tag("case-26")
  void aRateLimitIsWaitedForAsLongAsTold() throws Exception {
    TestImage.of("a").into(registry, "1");
    var left = new AtomicInteger(2);
    registry.play(exchange -> {
      if (!exchange.getRequestURI().getPath().contains("/manifests/")
          || left.getAndDecrement() <= 0) {
        return false;
      }
      exchange.getResponseHeaders().set("Retry-After", "2");
      return answer(exchange, 429, "");
    });

    pull(name("app:1"));

    assertThat(pauses).containsExactly(Duration.ofSeconds(2), Duration.ofSeconds(2));
    assertThat(notices).allMatch(text -> text.contains("rate limited"));
    assertThat(notices).allMatch(text -> text.contains(registry.host()));
  }

  @Test
  @Tag("case-26")
  void aRateLimitThatStaysIsNamedWithItsHost() throws Exception {
    registry.play(exchange ->
        exchange.getRequestURI().getPath().contains("/manifests/")
            && answer(exchange, 429, "{\"message\":\"retry-after: 880.092us\"}"));

    var failure = failure(name("app:1"));

    assertThat(failure.kind()).isEqualTo(ImageException.Kind.UNAVAILABLE);
    assertThat(failure.getMessage()).contains("rate limited by '" + registry.host() + "'");
    assertThat(failure.getMessage()).contains("880.092us");
  }

  @Test
  void anUnknownImageIsNotFound() {
    assertThat(failure(name("nothing:1")).kind()).isEqualTo(ImageException.Kind.NOT_FOUND);
    assertThat(pauses).isEmpty();
  }

  @Test
  void aRegistryThatIsDownIsUnavailable() throws Exception {
    String name = name("app:1");
    registry.close();

    assertThat(failure(name))
        .hasMessageContaining("connection refused")
        .extracting(ImageException::kind)
        .isEqualTo(ImageException.Kind.UNAVAILABLE);
  }

  @Test
  void anUnknownLoginIsDenied() throws Exception {
    TestImage.of("a").into(registry, "1");
    wantLogin(registry, "other", "secret");

    var failure = failure(name("app:1"));

    assertThat(failure.kind()).isEqualTo(ImageException.Kind.DENIED);
    assertThat(failure.getMessage()).contains("wants a login", registry.host());
  }

  // ---- logins and hosts

  private static void wantLogin(FakeRegistry registry, String user, String password) {
    registry.play(exchange -> {
      if (FakeRegistry.header(exchange, "Authorization").equals(basic(user, password))) {
        return false;
      }
      exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"test\"");
      return answer(exchange, 401, "");
    });
  }

  private static String basic(String user, String password) {
    return "Basic " + Base64.getEncoder().encodeToString(bytes(user + ":" + password));
  }

  private Credentials login(String host, String user, String password) throws IOException {
    var file = Files.createTempFile(temporary, "login", ".json");
    Files.writeString(
        file,
        "{\"auths\":{\"%s\":{\"auth\":\"%s\"}}}"
            .formatted(host, basic(user, password).substring("Basic ".length())));
    return new Credentials(List.of(file), Map.of(), Duration.ofSeconds(5));
  }

  @Test
  void aLoginIsShownToTheRegistryThatWantsIt() throws Exception {
    TestImage.of("a").into(registry, "1");
    wantLogin(registry, "me", "secret");
    credentials = login(registry.host(), "me", "secret");

    assertThat(pull(name("app:1")).isNew()).isTrue();
  }

  @Test
  @Tag("case-24")
  void aMirrorNeverSeesTheLoginOfTheRegistry() throws Exception {
    var image = TestImage.of("a");
    image.into(registry, "1");
    wantLogin(registry, "me", "secret");
    credentials = login(registry.host(), "me", "secret");
    try (var mirror = FakeRegistry.start()) {
      wantLogin(mirror, "somebody", "else");
      settings = settings.withMirrors(Map.of(registry.host(), List.of(mirror(mirror))));

      pull(name("app:1"));

      assertThat(mirror.questions()).isNotEmpty();
      assertThat(mirror.questions()).allMatch(each -> each.authorization().isEmpty());
    }
  }

  @Test
  @Tag("case-24")
  void theRegistryNeverSeesTheLoginOfAMirror() throws Exception {
    var image = TestImage.of("a");
    image.into(registry, "1");
    wantLogin(registry, "me", "secret");
    try (var mirror = FakeRegistry.start()) {
      wantLogin(mirror, "mirror", "word");
      credentials = login(mirror.host(), "mirror", "word");
      settings = settings.withMirrors(Map.of(registry.host(), List.of(mirror(mirror))));

      assertThat(failure(name("app:1")).kind()).isEqualTo(ImageException.Kind.DENIED);

      assertThat(mirror.questions()).anyMatch(each -> !each.authorization().isEmpty());
      assertThat(registry.questions()).isNotEmpty();
      assertThat(registry.questions()).allMatch(each -> each.authorization().isEmpty());
    }
  }

  @Test
  @Tag("case-24")
  void aLoginDoesNotFollowARedirectToAnotherHost() throws Exception {
    var image = TestImage.of("a");
    image.into(registry, "1");
    wantLogin(registry, "me", "secret");
    credentials = login(registry.host(), "me", "secret");
    try (var store = FakeRegistry.start()) {
      image.into(store, "unused");
      registry.play(exchange -> {
        if (!exchange.getRequestURI().getPath().contains("/blobs/")
            || FakeRegistry.header(exchange, "Authorization").isEmpty()) {
          return false;
        }
        exchange
            .getResponseHeaders()
            .set("Location", store.address() + exchange.getRequestURI().toString());
        return answer(exchange, 307, "");
      });

      pull(name("app:1"));

      assertThat(store.questions("/blobs/")).hasSize(2);
      assertThat(store.questions()).allMatch(each -> each.authorization().isEmpty());
    }
  }

  private static Mirror mirror(FakeRegistry server, Mirror.Capability... capabilities) {
    return new Mirror(
        server.address(),
        capabilities.length == 0 ? Set.of(Mirror.Capability.values()) : Set.of(capabilities),
        Optional.empty());
  }

  @Test
  void aMirrorServesInsteadOfTheRegistryAndHearsWhichOneIsMeant() throws Exception {
    try (var mirror = FakeRegistry.start()) {
      TestImage.of("a").into(mirror, "1");
      settings = settings.withMirrors(Map.of(registry.host(), List.of(mirror(mirror))));

      pull(name("app:1"));

      assertThat(registry.questions("/app/")).isEmpty();
      assertThat(mirror.questions("/manifests/1?ns=127.0.0.1%3A")).hasSize(1);
    }
  }

  @Test
  void aMirrorThatIsNotTrustedWithTagsOnlyServesDigests() throws Exception {
    try (var mirror = FakeRegistry.start()) {
      var image = TestImage.of("a");
      image.into(registry, "1");
      TestImage.of("old").into(mirror, "1");
      image.into(mirror, "new");
      settings =
          settings.withMirrors(
              Map.of(registry.host(), List.of(mirror(mirror, Mirror.Capability.PULL))));

      assertThat(pull(name("app:1")).id()).isEqualTo(Digest.of(image.config()));

      assertThat(mirror.questions("/manifests/1")).isEmpty();
      assertThat(registry.questions("/blobs/")).isEmpty();
    }
  }

  @Test
  void aMirrorThatLiesIsPassedOver() throws Exception {
    try (var mirror = FakeRegistry.start()) {
      var image = TestImage.of("a");
      image.into(registry, "1");
      image.into(mirror, "1");
      byte[] wrong = new byte[image.layers().getFirst().length];
      playAtBlob(
          mirror,
          image.layer(0),
          9,
          exchange -> {
            FakeRegistry.send(exchange, 200, wrong);
            return true;
          });
      settings = settings.withMirrors(Map.of(registry.host(), List.of(mirror(mirror))));

      pull(name("app:1"));

      assertThat(registry.questions("/blobs/" + image.layer(0))).hasSize(1);
    }
  }

  @Test
  void whatMirrorsSaidIsToldWhenTheRegistryFailsToo() throws Exception {
    try (var mirror = FakeRegistry.start()) {
      mirror.play(exchange -> answer(exchange, 403, "{\"message\":\"closed on Sundays\"}"));
      settings = settings.withMirrors(Map.of(registry.host(), List.of(mirror(mirror))));

      assertThat(failure(name("app:1")).getMessage())
          .contains("manifest unknown", "closed on Sundays");
    }
  }

  // ---- addresses in manifests

  private TestImage withForeignLayer(String url) {
    var image = TestImage.of("a");
    var layer =
        descriptor(
            "application/vnd.oci.image.layer.nondistributable.v1.tar", image.layers().getFirst());
    layer.put("urls", List.of(url, "file:///etc/hostname", "ftp://layers.example.test/b"));
    registry.putBlob(image.config());
    var config = descriptor(Descriptor.CONFIG, image.config());
    config.put("urls", List.of(url));
    registry.putManifest("1", Descriptor.MANIFEST, TestImage.manifest(config, List.of(layer)));
    return image;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("case-119")
  void addressesInAManifestNeverMakeTheNodeAskItself(boolean allowed) throws Exception {
    settings = settings.withForeignLayers(allowed);
    try (var victim = FakeRegistry.start()) {
      withForeignLayer(victim.address() + "/containers/json");
      credentials = login(victim.host(), "me", "secret");

      assertThat(failure(name("app:1")).kind()).isEqualTo(ImageException.Kind.NOT_FOUND);

      assertThat(victim.questions()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://127.0.0.1:1/a",
        "https://169.254.169.254/latest/meta-data/",
        "https://[::1]:1/a",
        "https://localhost:1/a"
      })
  @Tag("case-119")
  void nearAddressesAreRefusedEvenByHttps(String url) throws Exception {
    settings = settings.withForeignLayers(true);
    withForeignLayer(url);

    assertThat(failure(name("app:1")).getMessage()).contains("may not make this node ask itself");
  }

  @Test
  @Tag("case-119")
  void aRegistryThatHasALayerItMayNotHaveIsEnough() throws Exception {
    var image = withForeignLayer("https://layers.example.test/a");
    registry.putBlob(image.layers().getFirst());

    assertThat(pull(name("app:1")).isNew()).isTrue();
  }
}
