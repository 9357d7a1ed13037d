package dev.caisson.oci.registry;

import static dev.caisson.oci.registry.TestImage.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import dev.caisson.linux.DirectoryHandle;
import dev.caisson.oci.Digest;
import dev.caisson.oci.ImageException;
import dev.caisson.oci.Images;
import dev.caisson.oci.Platform;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("root")
@Timeout(60)
class PushTest {
  private static final TestImage IMAGE = TestImage.of("a", "b");

  @TempDir Path temporary;
  private FakeRegistry registry;
  private Images images;
  private Credentials credentials = Credentials.none();
  private final List<Transfer> transfers = new CopyOnWriteArrayList<>();

  /** The image is on the node, from another registry. */
  @BeforeEach
  void open() throws Exception {
    registry = FakeRegistry.start();
    images = Images.open(temporary.resolve("root"));
    try (var origin = FakeRegistry.start()) {
      IMAGE.into(origin, "1");
      registries()
          .pull(origin.host() + "/app:1", Optional.of(Platform.parse("linux/amd64")), access());
      images.tag(origin.host() + "/app:1", name("team/app:1"));
    }
    transfers.clear();
  }

  @AfterEach
  void removeAll() throws IOException {
    registry.close();
    try (var handle = DirectoryHandle.open(temporary)) {
      handle.removeChildren();
    }
  }

  private String name(String rest) {
    return registry.host() + "/" + rest;
  }

  private Registries registries() {
    var settings =
        RegistrySettings.USUAL.withPatience(
            new Retries(3, Duration.ofMillis(1), Duration.ofSeconds(60)), Duration.ofSeconds(20));
    return new Registries(images, () -> settings, _ -> {});
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
          public void notice(String text) {}
        });
  }

  private ImageException failure() {
    return catchThrowableOfType(
        ImageException.class, () -> registries().push(name("team/app:1"), access()));
  }

  private static boolean answer(HttpExchange exchange, int status) throws IOException {
    FakeRegistry.send(exchange, status, "");
    return true;
  }

  @Test
  void aPushedImageIsTheSameByteForByte() throws Exception {
    var digest = registries().push(name("team/app:1"), access());

    assertThat(digest).isEqualTo(Digest.of(IMAGE.manifest()));
    assertThat(registry.manifest("1")).contains(IMAGE.manifest());
    assertThat(registry.blob(Digest.of(IMAGE.config()))).contains(IMAGE.config());
    assertThat(registry.blob(IMAGE.layer(0))).contains(IMAGE.layers().getFirst());
    assertThat(registry.blob(IMAGE.layer(1))).contains(IMAGE.layers().getLast());
    assertThat(registry.questions().getLast().line()).startsWith("PUT /v2/team/app/manifests/1");
  }

  @Test
  void whatTheRegistryHasIsNotSentAgain() throws Exception {
    registry.putBlob(IMAGE.layers().getFirst());

    registries().push(name("team/app:1"), access());

    assertThat(registry.questions("PUT /v2/team/app/blobs/uploads")).hasSize(2);
    assertThat(transfers)
        .filteredOn(each -> each.phase() == Transfer.Phase.EXISTS)
        .extracting(Transfer::subject)
        .containsExactly(IMAGE.layer(0).value());
  }

  @Test
  void layersOfAnotherRepositoryThereAreTakenFromIt() throws Exception {
    registries().push(name("team/app:1"), access());
    images.tag(name("team/app:1"), name("team/copy:1"));
    // This registry tells nobody what is in other repositories, but lets it be mounted.
    registry.play(exchange ->
        exchange.getRequestMethod().equals("HEAD")
            && exchange.getRequestURI().getPath().startsWith("/v2/team/copy/blobs/")
            && answer(exchange, 404));

    registries().push(name("team/copy:1"), access());

    assertThat(registry.questions("from=team/app")).hasSize(3);
    assertThat(registry.questions("PUT /v2/team/copy/blobs")).isEmpty();
    assertThat(registry.questions("PUT /v2/team/copy/manifests/1")).hasSize(1);
  }

  @Test
  void anUploadThatFailsIsBegunAgainFromItsStart() throws Exception {
    var left = new AtomicInteger(1);
    registry.play(exchange ->
        exchange.getRequestMethod().equals("PUT")
            && exchange.getRequestURI().getPath().contains("/uploads/")
            && left.getAndDecrement() > 0
            && answer(exchange, 503));

    registries().push(name("team/app:1"), access());

    assertThat(registry.questions("POST ")).hasSize(4);
    assertThat(registry.blob(IMAGE.layer(0))).contains(IMAGE.layers().getFirst());
  }

  @Test
  void anUploadGoesOnAtAnotherHostWithoutTheLogin() throws Exception {
    var password = "Basic " + Base64.getEncoder().encodeToString(bytes("me:secret"));
    var file = temporary.resolve("login.json");
    Files.writeString(
        file,
        "{\"auths\":{\"%s\":{\"auth\":\"%s\"}}}"
            .formatted(registry.host(), password.substring("Basic ".length())));
    credentials = new Credentials(List.of(file), Map.of(), Duration.ofSeconds(5));
    try (var store = FakeRegistry.start()) {
      registry.play(exchange -> {
        if (!FakeRegistry.header(exchange, "Authorization").equals(password)) {
          exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"test\"");
          return answer(exchange, 401);
        }
        if (exchange.getRequestMethod().equals("POST")) {
          exchange
              .getResponseHeaders()
              .set("Location", store.address() + "/v2/x/blobs/uploads/1?state=2");
          return answer(exchange, 202);
        }
        return false;
      });

      registries().push(name("team/app:1"), access());

      assertThat(store.questions("PUT ")).hasSize(3);
      assertThat(store.questions()).allMatch(each -> each.authorization().isEmpty());
      assertThat(store.blob(IMAGE.layer(1))).contains(IMAGE.layers().getLast());
    }
  }

  @Test
  void aRefusalNamesTheImageAndWhatTheRegistrySays() throws Exception {
    registry.play(exchange -> {
      if (!exchange.getRequestMethod().equals("POST")) {
        return false;
      }
      FakeRegistry.send(
          exchange,
          403,
          "{\"errors\":[{\"code\":\"DENIED\",\"message\":\"read only on Sundays\"}]}");
      return true;
    });

    var failure = failure();

    assertThat(failure.kind()).isEqualTo(ImageException.Kind.DENIED);
    assertThat(failure.getMessage())
        .contains("push '" + name("team/app:1") + "'", "read only on Sundays");
    assertThat(registry.manifest("1")).isEmpty();
  }

  @Test
  void anImageThatIsNotHereIsNotFoundBeforeAnythingIsAsked() {
    var failure =
        catchThrowableOfType(
            ImageException.class, () -> registries().push(name("nothing:1"), access()));

    assertThat(failure.kind()).isEqualTo(ImageException.Kind.NOT_FOUND);
    assertThat(registry.questions()).isEmpty();
  }

  @Test
  void aBuiltinNameBelongsToNoRegistry() {
    var failure =
        catchThrowableOfType(
            ImageException.class, () -> registries().push("builtin/busybox", access()));

    assertThat(failure.kind()).isEqualTo(ImageException.Kind.INVALID);
  }
}
