package dev.caisson.oci.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CredentialHelperTest {
  private static final Duration PATIENT = Duration.ofMinutes(1);
  private static final Duration SHORT = Duration.ofMillis(200);

  @TempDir Path temporary;
  private HelperScripts scripts;

  @BeforeEach
  void directory() {
    scripts = new HelperScripts(temporary);
  }

  private Optional<Credential> ask(String script, Duration patience) throws Exception {
    scripts.with("test", script);
    return new CredentialHelper("test", patience, scripts.environment()).find("registry.example");
  }

  private void assertFails(String script, Duration patience, String reason) {
    assertThatThrownBy(() -> ask(script, patience))
        .isInstanceOf(CredentialHelper.HelperException.class)
        .hasMessageContaining(reason)
        .hasMessageNotContaining("s3cret");
  }

  @Test
  @Tag("case-30")
  void aHelperIsToldTheServerAndGivesALogin() throws Exception {
    var login =
        ask(
            """
            read server
            [ "$1" = get ] && [ "$server" = registry.example ] &&
              echo '{"ServerURL":"x","Username":"ann","Secret":"s3cret"}'
            """,
            PATIENT);

    assertThat(login).contains(new Credential.Password("ann", "s3cret"));
  }

  @Test
  void theTokenUserMeansAnIdentityToken() throws Exception {
    assertThat(ask("echo '{\"Username\":\"<token>\",\"Secret\":\"s3cret\"}'", PATIENT))
        .contains(new Credential.IdentityToken("s3cret"));
  }

  @Test
  void aServerThatIsNotKeptIsNoFailure() throws Exception {
    assertThat(ask("echo credentials not found in native keychain; exit 1", PATIENT)).isEmpty();
  }

  @Test
  void aHelperSeesTheEnvironmentOfTheUserAlone() throws Exception {
    var login =
        ask(
            "echo \"{\\\"Username\\\":\\\"$HELPER_HOME\\\",\\\"Secret\\\":\\\"x$JAVA_HOME\\\"}\"",
            PATIENT);

    assertThat(login).contains(new Credential.Password(temporary.toString(), "x"));
  }

  @Test
  @Tag("case-30")
  void aStatusIsToldWithoutWhatWasPrinted() {
    assertFails("echo s3cret; echo s3cret >&2; exit 3", PATIENT, "ended with status 3");
  }

  @ParameterizedTest
  @Tag("case-30")
  @ValueSource(
      strings = {
        "s3cret",
        "",
        "[]",
        "null",
        "{\"Username\":\"u\",\"Secret\":[\"s3cret\"]}",
        "{\"Username\":\"u\",\"Secret\":\"s3cret\"",
        "{\"Username\":\"u\",\"Secret\":\"s3cret\"} s3cret",
        "{\"Username\":\"u\",\"Secret\":\"\"}",
        "{\"Username\":\"s3cret\"}",
        "{}"
      })
  void junkIsToldWithoutShowingIt(String printed) throws IOException {
    Files.writeString(temporary.resolve("printed"), printed);

    assertFails("cat \"$HELPER_HOME\"/printed", PATIENT, "its answer");
  }

  @Test
  void aHelperThatHangsIsEndedWithItsChildren() throws Exception {
    assertFails("sleep 1000 & echo $! > \"$HELPER_HOME\"/child; wait", SHORT, "within 200 ms");

    // On a busy machine it may have been ended before it had a child.
    var child = temporary.resolve("child");
    var pid = Files.exists(child) ? Files.readString(child).strip() : "";
    if (!pid.isEmpty()) {
      ProcessHandle.of(Long.parseLong(pid)).ifPresent(process -> process.onExit().join());
    }
  }

  @Test
  void aHelperThatPrintsWithoutEndIsNotWaitedFor() {
    assertFails("exec yes s3cret", PATIENT, "more than 1048576 bytes");
  }

  @Test
  void whatAHelperLeavesRunningDoesNotHoldUpItsAnswer() throws Exception {
    var login =
        ask(
            """
            sleep 1000 &
            echo $! > "$HELPER_HOME"/child
            echo '{"Username":"ann","Secret":"s3cret"}'
            """,
            PATIENT);

    try {
      assertThat(login).contains(new Credential.Password("ann", "s3cret"));
    } finally {
      long child = Long.parseLong(Files.readString(temporary.resolve("child")).strip());
      ProcessHandle.of(child).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  void aHelperNeedNotReadTheServer() throws Exception {
    assertThat(ask("exec 0<&-; echo '{\"Username\":\"ann\",\"Secret\":\"x\"}'", PATIENT))
        .isPresent();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "../evil", "a b", "-x", "a/b", "a\nb"})
  void aNameThatCouldMeanAnotherProgramIsRefused(String name) {
    assertThatThrownBy(
            () -> new CredentialHelper(name, PATIENT, scripts.environment()).find("registry"))
        .isInstanceOf(CredentialHelper.HelperException.class)
        .hasMessageContaining("is not the name of a helper");
  }

  @Test
  void aMissingHelperIsNotLookedForOutsideItsPath() {
    assertThatThrownBy(() -> new CredentialHelper("none", PATIENT, Map.of()).find("registry"))
        .isInstanceOf(CredentialHelper.HelperException.class)
        .hasMessageContaining("no 'docker-credential-none' in the PATH");
  }

  @Test
  void aFileThatIsNoProgramIsToldAsSuch() throws IOException {
    var file = Files.writeString(temporary.resolve("docker-credential-test"), "#!/none\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();

    assertThatThrownBy(
            () -> new CredentialHelper("test", PATIENT, scripts.environment()).find("registry"))
        .isInstanceOf(CredentialHelper.HelperException.class)
        .hasMessageContaining("cannot be started");
  }
}
