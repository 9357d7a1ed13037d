package dev.caisson.oci.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LoginFileTest {
  private static final String SECRET = "s3cret";

  @TempDir Path temporary;
  private final List<String> warnings = new ArrayList<>();

  private LoginFile read(String text) throws IOException {
    return read(text.getBytes(StandardCharsets.UTF_8));
  }

  private LoginFile read(byte[] document) throws IOException {
    return LoginFile.read(Files.write(temporary.resolve("config.json"), document), warnings::add);
  }

  private static String auth(String login) {
    return Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  @Tag("case-29")
  void sectionsAndEntriesThatAreNullOrEmptySayNothing() throws IOException {
    try (var in = getClass().getResourceAsStream("login-file-with-nulls.json")) {
      var login = read(in.readAllBytes());

      assertThat(login.logins()).isEmpty();
      assertThat(login.helpers()).isEmpty();
      assertThat(login.store()).isEmpty();
      assertThat(warnings).isEmpty();
    }
  }

  @ParameterizedTest
  @Tag("case-29")
  @ValueSource(strings = {"{}", "", "  \n", "{\"auths\": null}", "{\"credHelpers\": null}"})
  void aFileThatSaysNothingIsNoTrouble(String text) throws IOException {
    assertThat(read(text).logins()).isEmpty();
    assertThat(warnings).isEmpty();
  }

  @Test
  void aFileThatIsMissingSaysNothing() {
    assertThat(LoginFile.read(temporary.resolve("none.json"), warnings::add).logins()).isEmpty();
    assertThat(warnings).isEmpty();
  }

  @Test
  void whatCannotBeReadIsToldByItsName() {
    assertThat(LoginFile.read(temporary, warnings::add).logins()).isEmpty();
    assertThat(warnings).singleElement().asString().contains(temporary + "' cannot be read");
  }

  @Test
  @Tag("case-29")
  void aByteOrderMarkIsPassedOver() throws IOException {
    var login = read("\uFEFF{\"auths\": {\"a.example\": {\"auth\": \"" + auth("u:p") + "\"}}}");

    assertThat(login.logins()).containsEntry("a.example", new Credential.Password("u", "p"));
  }

  @ParameterizedTest
  @Tag("case-29")
  @ValueSource(
      strings = {
        "{\"auths\": {\"a.example\": {\"password\": \"s3cret\"},}}",
        "{\"auths\": {\"a.example\": {\"auth\": s3cret}}}",
        "s3cret",
        "[\"s3cret\"]",
        "\"s3cret\"",
        "{\"auths\": {\"a\": {\"password\": \"s3cret\", \"password\": \"s3cret\"}}}",
        "{} s3cret"
      })
  void whatIsNotJsonIsToldByTheFileAndWithoutTheSecret(String text) throws IOException {
    assertThat(read(text).logins()).isEmpty();

    assertThat(warnings)
        .singleElement()
        .asString()
        .contains(temporary.resolve("config.json").toString())
        .doesNotContain(SECRET);
  }

  @ParameterizedTest
  @Tag("case-29")
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"auth\": \"!s3cret!\"}          | auths.bad.example' is not base64",
        "{\"auth\": \"czNjcmV0\"}          | auths.bad.example' is not a name and a password",
        "{\"auth\": \"OnMzY3JldA==\"}      | auths.bad.example' is not a name and a password",
        "{\"auth\": [\"s3cret\"]}          | auths.bad.example.auth' is not a text",
        "{\"identitytoken\": 7}            | auths.bad.example.identitytoken' is not a text",
        "\"s3cret\"                        | auths.bad.example' is not an object",
        "[]                                | auths.bad.example' is not an object"
      })
  void aBrokenEntryIsToldByItsKeyAndLeavesTheOthers(String entry, String warning)
      throws IOException {
    var login =
        read(
            "{\"auths\": {\"bad.example\": %s, \"good.example\": {\"auth\": \"%s\"}}}"
                .formatted(entry, auth("u:p")));

    assertThat(login.logins()).containsOnlyKeys("good.example");
    assertThat(warnings).singleElement().asString().contains(warning).doesNotContain(SECRET);
  }

  @Test
  @Tag("case-29")
  void brokenSectionsAndHelpersAreToldByTheirNames() throws IOException {
    var login =
        read(
            """
            {"auths": 7, "credsStore": 7,
             "credHelpers": {"a.example": ["x"], "b.example": "good", "c.example": null}}
            """);

    assertThat(login.helpers()).containsOnlyKeys("b.example");
    assertThat(warnings)
        .hasSize(3)
        .anyMatch(warning -> warning.contains("'auths' is not an object"))
        .anyMatch(warning -> warning.contains("'credHelpers.a.example' is not a text"))
        .anyMatch(warning -> warning.contains("'credsStore' is not a text"));
  }

  @Test
  void eachFormOfLoginIsRead() throws IOException {
    var logins =
        read("""
        {"auths": {
          "plain.example": {"auth": "%s"},
          "colon.example": {"auth": "%s"},
          "padded.example": {"auth": "%s"},
          "split.example": {"username": "u", "password": "s3cret"},
          "identity.example": {"auth": "%s", "identitytoken": "s3cret"},
          "token.example": {"registrytoken": "s3cret"}}}
        """
                .formatted(auth("u:p"), auth("u:a:b"), auth("u:p\0\0"), auth("u:p")))
            .logins();

    assertThat(logins)
        .containsEntry("plain.example", new Credential.Password("u", "p"))
        .containsEntry("colon.example", new Credential.Password("u", "a:b"))
        .containsEntry("padded.example", new Credential.Password("u", "p"))
        .containsEntry("split.example", new Credential.Password("u", SECRET))
        .containsEntry("identity.example", new Credential.IdentityToken(SECRET))
        .containsEntry("token.example", new Credential.RegistryToken(SECRET));
    assertThat(logins.toString()).doesNotContain(SECRET);
  }

  @ParameterizedTest
  @CsvSource({
    "registry.example, registry.example",
    "registry.example/, registry.example",
    "registry.example:5000, registry.example:5000",
    "registry.example/team/app, registry.example/team/app",
    "https://registry.example, registry.example",
    "https://registry.example/v1/, registry.example",
    "http://registry.example:5000/v2/, registry.example:5000",
    "https://index.docker.io/v1/, docker.io",
    "index.docker.io, docker.io",
    "registry-1.docker.io, docker.io",
    "docker.io, docker.io",
    "docker.io/library/app, docker.io/library/app",
    "[::1]:5000, [::1]:5000",
    "'', ''",
    "/, ''",
    "://, ''"
  })
  void serversHaveOneForm(String server, String key) {
    assertThat(LoginFile.key(server)).isEqualTo(key);
  }
}
