package dev.caisson.oci.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.oci.ImageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RegistryFileTest {
  @TempDir Path temporary;

  private RegistrySettings read(String text) throws IOException {
    return RegistrySettings.read(
        List.of(Files.writeString(temporary.resolve("registries.json"), text)));
  }

  @Test
  void everyFieldIsRead() throws IOException {
    var settings =
        read(
            """
            {"mirrors": {
               "docker.io": [
                 {"address": "https://one.example/root", "capabilities": ["pull"]},
                 {"address": "http://two.example:5000"}],
               "registry.example": []},
             "insecure": ["registry.example:5000", "registry.example:5000"],
             "certificates": ["/etc/one", "/etc/two"],
             "tries": 2, "stallSeconds": 7, "parallel": 1, "foreignLayers": true}
            """);

    assertThat(settings.mirrors().get("docker.io"))
        .containsExactly(
            new Mirror(
                URI.create("https://one.example/root"),
                Set.of(Mirror.Capability.PULL),
                Optional.empty()),
            new Mirror(
                URI.create("http://two.example:5000"),
                Set.of(Mirror.Capability.values()),
                Optional.empty()));
    assertThat(settings.insecure()).containsExactly("registry.example:5000");
    assertThat(settings.certificates()).containsExactly(Path.of("/etc/one"), Path.of("/etc/two"));
    assertThat(settings.retries()).isEqualTo(Retries.USUAL.withTries(2));
    assertThat(settings.stall()).isEqualTo(Duration.ofSeconds(7));
    assertThat(settings.parallel()).isEqualTo(1);
    assertThat(settings.foreignLayers()).isTrue();
  }

  @Test
  void whatIsLeftOutIsAsUsual() throws IOException {
    assertThat(read("{}")).isEqualTo(RegistrySettings.USUAL);
  }

  @Test
  void theFirstFileThatIsThereCountsAlone() throws IOException {
    var first = temporary.resolve("first.json");
    var second = Files.writeString(temporary.resolve("second.json"), "{\"parallel\": 2}");

    assertThat(RegistrySettings.read(List.of(first, second)).parallel()).isEqualTo(2);
    Files.writeString(first, "{\"tries\": 1}");
    assertThat(RegistrySettings.read(List.of(first, second)).parallel()).isEqualTo(3);
    assertThat(RegistrySettings.read(List.of())).isEqualTo(RegistrySettings.USUAL);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"mirrors\": []}                                             | mirrors",
        "{\"mirrors\": {\"docker.io\": {}}}                            | mirrors.docker.io",
        "{\"mirrors\": {\"docker.io\": [{}]}}                          | mirrors.docker.io",
        "{\"mirrors\": {\"docker.io\": [{\"address\": 7}]}}            | address",
        "{\"mirrors\": {\"docker.io\": [{\"address\": \"mirror\"}]}}   | mirrors.docker.io",
        "{\"mirrors\": {\"docker.io\": [{\"address\": \"ftp://m\"}]}}  | mirrors.docker.io",
        "{\"mirrors\": {\"docker.io\": [{\"address\": \"https://a b\"}]}} | mirrors.docker.io",
        "{\"mirrors\": {\"a.b\": [{\"address\": \"https://m\", \"capabilities\": [\"push\"]}]}}"
            + " | mirrors.a.b: capability 'push'",
        "{\"mirrors\": {\"a.b\": [{\"address\": \"https://m\", \"x\": 1}]}}"
            + " | mirrors.a.b: unknown field 'x'",
        "{\"insecure\": \"registry\"}                                  | insecure",
        "{\"insecure\": [null]}                                        | insecure",
        "{\"insecure\": [\"http://registry\"]}                         | insecure"
            + " 'http://registry'",
        "{\"insecure\": [\"\"]}                                        | insecure ''",
        "{\"certificates\": \"/etc\"}                                  | certificates",
        "{\"certificates\": [7]}                                       | certificates",
        "{\"tries\": 0}                                                | tries 0",
        "{\"tries\": \"six\"}                                          | tries",
        "{\"stallSeconds\": 0}                                         | stallSeconds 0",
        "{\"stallSeconds\": -1}                                        | stallSeconds -1",
        "{\"stallSeconds\": 1.5}                                       | stallSeconds",
        "{\"parallel\": 0}                                             | parallel 0",
        "{\"parallel\": 99999999999}                                   | parallel",
        "{\"foreignLayers\": \"yes\"}                                  | foreignLayers",
        "{\"mirror\": {}}                                              | unknown field 'mirror'",
        "[]                                                            | registries.json",
        "{\"tries\": 1,}                                               | registries.json"
      })
  void whatIsWrongIsToldByFileAndField(String text, String field) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOfSatisfying(
            ImageException.class,
            failure -> assertThat(failure.kind()).isEqualTo(ImageException.Kind.INVALID))
        .hasMessageContaining(temporary.resolve("registries.json").toString())
        .hasMessageContaining(field);
  }

  @Test
  void whatCannotBeReadIsToldByItsName() {
    assertThatThrownBy(() -> RegistrySettings.read(List.of(temporary)))
        .isInstanceOf(ImageException.class)
        .hasMessageContaining("read '" + temporary + "'");
  }

  @Test
  void anInsecureHostIsMeantWithItsPort() {
    var settings =
        RegistrySettings.USUAL.withInsecure(Set.of("a.example", "b.example:5000", "c.example:443"));

    assertThat(settings.isInsecure(Origin.of(URI.create("https://a.example")))).isTrue();
    assertThat(settings.isInsecure(Origin.of(URI.create("http://a.example")))).isTrue();
    assertThat(settings.isInsecure(Origin.of(URI.create("https://a.example:5000")))).isFalse();
    assertThat(settings.isInsecure(Origin.of(URI.create("https://b.example:5000")))).isTrue();
    assertThat(settings.isInsecure(Origin.of(URI.create("https://b.example")))).isFalse();
    assertThat(settings.isInsecure(Origin.of(URI.create("https://c.example")))).isTrue();
    assertThat(settings.allowsPlain(Origin.of(URI.create("http://localhost:1")))).isTrue();
    assertThat(settings.isInsecure(Origin.of(URI.create("https://localhost:1")))).isFalse();
  }
}
