package dev.caisson.oci.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
  private static final Credential ANONYMOUS = new Credential.Anonymous();
  private static final String FRESH = "echo '{\"Username\":\"fresh\",\"Secret\":\"s3cret\"}'\n";
  private static final String GENERAL =
      "read server; echo \"{\\\"Username\\\":\\\"$server\\\",\\\"Secret\\\":\\\"s3cret\\\"}\"\n";
  private static final String NOT_KEPT = "echo credentials not found; exit 1\n";

  @TempDir Path temporary;
  private final List<String> warnings = new ArrayList<>();
  private HelperScripts scripts;

  @BeforeEach
  void directory() throws IOException {
    scripts = new HelperScripts(Files.createDirectory(temporary.resolve("bin")));
  }

  private static String user(Credential credential) {
    return credential instanceof Credential.Password(var user, _) ? user : credential.toString();
  }

  private Credential find(Path file, String registry, String repository) throws Exception {
    return new Credentials(List.of(file), scripts.environment(), Duration.ofMinutes(1))
        .find(registry, repository, warnings::add);
  }

  private Path withHelpers() throws IOException {
    try (var in = getClass().getResourceAsStream("login-file-with-helpers.json")) {
      return Files.write(temporary.resolve("config.json"), in.readAllBytes());
    }
  }

  @Test
  @Tag("case-30")
  void theHelperOfAHostComesBeforeTheStoreAndWhatIsKeptInTheFile() throws Exception {
    scripts.with("fresh", FRESH).with("general", GENERAL);

    assertThat(find(withHelpers(), "registry.example.test", "app"))
        .isEqualTo(new Credential.Password("fresh", "s3cret"));
    assertThat(warnings).isEmpty();
  }

  @ParameterizedTest
  @Tag("case-30")
  @ValueSource(strings = {"exit 1", "echo s3cret", "echo s3cret; exit 1"})
  void afterAHelperThatFailsTheStoreIsAskedAndThatIsTold(String script) throws Exception {
    scripts.with("fresh", script).with("general", GENERAL);
    var file = withHelpers();

    assertThat(user(find(file, "registry.example.test", "app"))).isEqualTo("registry.example.test");
    assertThat(warnings)
        .singleElement()
        .asString()
        .contains("credential helper 'fresh' of '" + file, "'registry.example.test'")
        .doesNotContain("s3cret");
  }

  @Test
  @Tag("case-30")
  void whatIsKeptInTheFileCountsWhenNoHelperHasALogin() throws Exception {
    scripts.with("fresh", NOT_KEPT).with("general", "exit 2");

    assertThat(user(find(withHelpers(), "registry.example.test", "app"))).isEqualTo("stale");
    assertThat(warnings).singleElement().asString().contains("'general'", "status 2");
  }

  @Test
  @Tag("case-30")
  void aPortHasItsOwnLogin() throws Exception {
    scripts.with("fresh", FRESH).with("general", NOT_KEPT);
    var file = withHelpers();

    assertThat(find(file, "registry.example.test:5000", "app"))
        .isEqualTo(new Credential.IdentityToken("opaque-refresh-token"));
    assertThat(find(file, "registry.example.test:5001", "app")).isEqualTo(ANONYMOUS);
  }

  @Test
  @Tag("case-30")
  void dockersOwnRegistryIsAskedForByItsOldAddress() throws Exception {
    scripts.with("fresh", FRESH).with("general", GENERAL);
    var file = withHelpers();

    assertThat(user(find(file, "docker.io", "library/app")))
        .isEqualTo("https://index.docker.io/v1/");
    scripts.with("general", NOT_KEPT);
    assertThat(user(find(file, "docker.io", "library/app"))).isEqualTo("user");
  }

  @ParameterizedTest
  @CsvSource({
    "team/app, app",
    "team/app/part, app",
    "team/other, team",
    "team, team",
    "teams/app, host",
    "other, host"
  })
  void theLongestPathComesFirst(String repository, String user) throws Exception {
    var file =
        Files.writeString(
            temporary.resolve("auth.json"),
            """
            {"auths": {
              "registry.example": {"username": "host", "password": "p"},
              "registry.example/team": {"username": "team", "password": "p"},
              "registry.example/team/app": {"username": "app", "password": "p"}}}
            """);

    assertThat(user(find(file, "registry.example", repository))).isEqualTo(user);
    assertThat(find(file, "other.example", repository)).isEqualTo(ANONYMOUS);
  }

  private void keep(String file, String user) throws IOException {
    var path = temporary.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(
        path,
        "{\"auths\": {\"a.example\": {\"username\": \"%s\", \"password\": \"s3cret\"}}}"
            .formatted(user));
  }

  private String userOf(Map<String, String> environment) throws Exception {
    return user(
        Credentials.of(environment, temporary.resolve("home"))
            .find("a.example", "app", warnings::add));
  }

  @Test
  void filesAreAskedInTheirOrder() throws Exception {
    var environment = new HashMap<String, String>();
    environment.put("REGISTRY_AUTH_FILE", temporary.resolve("own.json").toString());
    environment.put("DOCKER_CONFIG", temporary.resolve("docker").toString());
    environment.put("XDG_RUNTIME_DIR", temporary.resolve("run").toString());
    var order =
        List.of(
            "home/.config/containers/auth.json",
            "run/containers/auth.json",
            "docker/config.json",
            "own.json");

    for (String file : order) {
      keep(file, file);
      assertThat(userOf(environment)).isEqualTo(file);
    }
    assertThat(warnings).isEmpty();
  }

  @Test
  void emptyVariablesCountAsMissing() throws Exception {
    keep("home/.docker/config.json", "docker");
    keep("home/.config/containers/auth.json", "containers");

    assertThat(userOf(Map.of("REGISTRY_AUTH_FILE", "", "DOCKER_CONFIG", "", "XDG_RUNTIME_DIR", "")))
        .isEqualTo("docker");
  }

  @Test
  void aLoginCountsAtOnce() throws Exception {
    var file = temporary.resolve("auth.json");
    var credentials = new Credentials(List.of(file), Map.of(), Duration.ofMinutes(1));

    assertThat(credentials.find("a.example", "app", warnings::add)).isEqualTo(ANONYMOUS);
    keep("auth.json", "late");
    assertThat(user(credentials.find("a.example", "app", warnings::add))).isEqualTo("late");
  }

  @Test
  void noTextOfALoginShowsItsSecret() {
    for (var credential :
        List.of(
            new Credential.Password("ann", "s3cret"),
            new Credential.IdentityToken("s3cret"),
            new Credential.RegistryToken("s3cret"))) {
      assertThat(credential.toString()).doesNotContain("s3cret");
    }
    assertThat(new Credential.Password("ann", "s3cret").basic())
        .isEqualTo("Basic YW5uOnMzY3JldA==");
  }
}
