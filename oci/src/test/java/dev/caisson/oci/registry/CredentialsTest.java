package dev.caisson.oci.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CredentialsTest {
  private static final Credential STALE = new Credential.Password("stale", "stale");

  @TempDir Path temporary;
  private final List<String> warnings = new ArrayList<>();
  private Map<String, String> environment = Map.of();

  @BeforeEach
  void path() throws IOException {
    var programs = Files.createDirectory(temporary.resolve("bin"));
    environment = Map.of("PATH", programs + ":/usr/bin:/bin");
  }

  private void helper(String name, String script) throws IOException {
    var program = temporary.resolve("bin").resolve("docker-credential-" + name);
    Files.writeString(program, "#!/bin/sh\n" + script);
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Credential find(String document, String registry, String repository) throws Exception {
    var file = temporary.resolve("config.json");
    Files.writeString(file, document);
    return new Credentials(List.of(file), environment, Duration.ofSeconds(10))
        .find(registry, repository, warnings::add);
  }

  private static String resource(String name) throws IOException {
    try (var stream = CredentialsTest.class.getResourceAsStream(name)) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  // ---- which source counts

  @Test
  @Tag("case-30")
  void theHelperOfTheHostComesFirst() throws Exception {
    helper("fresh", "read server; echo '{\"Username\":\"'$server'\",\"Secret\":\"new\"}'");

    assertThat(find(resource("logins-of-each-kind.json"), "registry.example.test", "a"))
        .isEqualTo(new Credential.Password("registry.example.test", "new"));
    assertThat(warnings).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"exit 1", "echo rubbish-secret", "echo '{}'", "exit 127", "kill -9 $$"})
  @Tag("case-30")
  void aHelperThatFailsIsToldAndTheNextSourceAsked(String script) throws Exception {
    helper("fresh", script);
    helper("general", "echo 'credentials not found in native keychain'; exit 1");

    assertThat(find(resource("logins-of-each-kind.json"), "registry.example.test", "a"))
        .isEqualTo(STALE);
    assertThat(warnings).singleElement().asString().contains("'fresh'", "config.json");
    assertThat(warnings.toString()).doesNotContain("rubbish-secret");
  }

  @Test
  @Tag("case-30")
  void theGeneralStoreComesBeforeWhatStandsInTheFile() throws Exception {
    helper("general", "echo '{\"Username\":\"<token>\",\"Secret\":\"identity\"}'");

    assertThat(find(resource("logins-of-each-kind.json"), "other.example.test", "a"))
        .isEqualTo(new Credential.IdentityToken("identity"));
    assertThat(find(resource("logins-of-each-kind.json"), "docker.io", "library/a"))
        .isEqualTo(new Credential.IdentityToken("identity"));
  }

  @Test
  void aHelperThatIsMissingIsNamed() throws Exception {
    assertThat(find(resource("logins-of-each-kind.json"), "registry.example.test", "a"))
        .isEqualTo(STALE);
    assertThat(warnings).hasSize(2).allMatch(text -> text.contains("installed"));
  }

  @Test
  void aHelperThatHangsIsGivenUpWithItsChildren() throws Exception {
    helper("fresh", "sleep 1000 & echo $! > " + temporary.resolve("pid") + "; wait");
    var file = temporary.resolve("config.json");
    Files.writeString(file, "{\"credHelpers\":{\"a.test\":\"fresh\"}}");
    var credentials = new Credentials(List.of(file), environment, Duration.ofMillis(500));

    assertThat(credentials.find("a.test", "a", warnings::add))
        .isEqualTo(new Credential.Anonymous());

    assertThat(warnings).singleElement().asString().contains("no answer within 500 ms");
    long child = Long.parseLong(Files.readString(temporary.resolve("pid")).strip());
    ProcessHandle.of(child).ifPresent(handle -> handle.onExit().join());
  }

  @Test
  void aHelperThatNeverStopsTalkingIsNoAnswer() throws Exception {
    helper("fresh", "yes '{'");

    assertThat(find("{\"credHelpers\":{\"a.test\":\"fresh\"}}", "a.test", "a"))
        .isEqualTo(new Credential.Anonymous());
    assertThat(warnings).hasSize(1);
  }

  @Test
  void aHelperIsAProgramOfThatNameAndNoPath() throws Exception {
    assertThat(find("{\"credsStore\":\"../../bin/sh\"}", "a.test", "a"))
        .isEqualTo(new Credential.Anonymous());
    assertThat(warnings).singleElement().asString().contains("is not the name of a helper");
  }

  // ---- what stands in the file

  @ParameterizedTest
  @CsvSource({
    "registry.example.test, stale",
    "docker.io, user",
    "registry.example.test:443, anonymous",
    "example.test, anonymous",
    "xregistry.example.test, anonymous"
  })
  void aLoginBelongsToOneHostAndPort(String registry, String user) throws Exception {
    var document = resource("logins-of-each-kind.json").replaceAll("(?s),\\s*\"cred.*", "}");

    var found = find(document, registry, "team/app");

    assertThat(found instanceof Credential.Password password ? password.user() : "anonymous")
        .isEqualTo(user);
    assertThat(find(document, "registry.example.test:5000", "a"))
        .isEqualTo(new Credential.IdentityToken("opaque-refresh-token"));
  }

  @Test
  void theLongestPathThatFitsCounts() throws Exception {
    var document =
        "{\"auths\":{\"a.test\":{\"username\":\"all\",\"password\":\"1\"},"
            + "\"a.test/team\":{\"username\":\"team\",\"password\":\"2\"},"
            + "\"a.test/team/app\":{\"username\":\"app\",\"password\":\"3\"}}}";

    assertThat(find(document, "a.test", "team/app/x").toString()).contains("'app'");
    assertThat(find(document, "a.test", "team/application").toString()).contains("'team'");
    assertThat(find(document, "a.test", "teams/app").toString()).contains("'all'");
  }

  @Test
  void noTextOfALoginShowsItsSecret() {
    assertThat(
            List.of(
                    new Credential.Password("me", "hidden"),
                    new Credential.IdentityToken("hidden"),
                    new Credential.RegistryToken("hidden"))
                .toString())
        .doesNotContain("hidden");
  }

  // ---- broken files

  @Test
  @Tag("case-29")
  void missingAndNullSectionsMeanNone() throws Exception {
    for (String host : List.of("registry.example.test", "old.example.test", "third.example.test")) {
      assertThat(find(resource("logins-missing.json"), host, "a"))
          .isEqualTo(new Credential.Anonymous());
    }
    assertThat(find("{}", "a.test", "a")).isEqualTo(new Credential.Anonymous());
    assertThat(find("{\"auths\":null}", "a.test", "a")).isEqualTo(new Credential.Anonymous());
    assertThat(find("", "a.test", "a")).isEqualTo(new Credential.Anonymous());
    assertThat(warnings).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"auth\":\"not base64 hidden\"",
        "\"auth\":\"aGlkZGVu\"",
        "\"auth\":[\"hidden\"]",
        "\"identitytoken\":7"
      })
  @Tag("case-29")
  void aBrokenEntryIsTheOnlyOneThatDoesNotCount(String broken) throws Exception {
    var document =
        "{\"auths\":{\"bad.test\":{"
            + broken
            + "},\"good.test\":{\"username\":\"me\",\"password\":\"word\"}}}";

    assertThat(find(document, "bad.test", "a")).isEqualTo(new Credential.Anonymous());
    assertThat(warnings).isNotEmpty();
    assertThat(warnings).allMatch(text -> text.contains("auths.bad.test"));
    assertThat(warnings.toString()).contains("config.json").doesNotContain("hidden");
    assertThat(find(document, "good.test", "a")).isEqualTo(new Credential.Password("me", "word"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"auths\":{},}", "[]", "{\"auths\":{\"a.test\":{\"auth\":\"hidden"})
  @Tag("case-29")
  void aFileThatIsNoJsonIsToldByItsPlaceAlone(String document) throws Exception {
    assertThat(find(document, "a.test", "a")).isEqualTo(new Credential.Anonymous());
    assertThat(warnings).singleElement().asString().contains("config.json");
    assertThat(warnings.toString()).doesNotContain("hidden");
  }

  @Test
  @Tag("case-29")
  void aByteOrderMarkIsPassedOver() throws Exception {
    assertThat(
            find(
                "\uFEFF{\"auths\":{\"a.test\":{\"username\":\"me\",\"password\":\"word\"}}}",
                "a.test",
                "a"))
        .isEqualTo(new Credential.Password("me", "word"));
  }

  // ---- which files

  @Test
  void filesAreAskedInTheOrderOfTheirMakers() throws Exception {
    var home = Files.createDirectory(temporary.resolve("home"));
    var places =
        List.of(
            temporary.resolve("own.json"),
            temporary.resolve("docker/config.json"),
            temporary.resolve("run/containers/auth.json"),
            home.resolve(".config/containers/auth.json"));
    for (Path place : places) {
      Files.createDirectories(place.getParent());
      Files.writeString(
          place,
          "{\"auths\":{\"a.test\":{\"username\":\""
              + places.indexOf(place)
              + "\",\"password\":\"p\"}}}");
    }
    var variables = new HashMap<>(environment);
    variables.put("REGISTRY_AUTH_FILE", places.getFirst().toString());
    variables.put("DOCKER_CONFIG", temporary.resolve("docker").toString());
    variables.put("XDG_RUNTIME_DIR", temporary.resolve("run").toString());

    for (int i = 0; i < places.size(); i++) {
      assertThat(Credentials.of(variables, home).find("a.test", "a", warnings::add))
          .isEqualTo(new Credential.Password(String.valueOf(i), "p"));
      Files.delete(places.get(i));
    }
    assertThat(Credentials.of(variables, home).find("a.test", "a", warnings::add))
        .isEqualTo(new Credential.Anonymous());
  }
}
