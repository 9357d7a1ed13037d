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

class RegistrySettingsTest {
  @TempDir Path temporary;

  private RegistrySettings read(String document) throws IOException {
    var file = temporary.resolve("registries.json");
    Files.writeString(file, document);
    return RegistrySettings.read(List.of(temporary.resolve("missing.json"), file));
  }

  @Test
  void withoutAFileTheUsualSettingsCount() throws IOException {
    assertThat(RegistrySettings.read(List.of(temporary.resolve("missing.json"))))
        .isEqualTo(RegistrySettings.USUAL);
    assertThat(read("{}")).isEqualTo(RegistrySettings.USUAL);
  }

  @Test
  void everythingCanBeSaid() throws IOException {
    var settings =
        read(
            """
            {"mirrors": {"docker.io": [{"address": "https://m.example", "capabilities": ["pull"]},
                                       {"address": "http://localhost:5000"}]},
             "insecure": ["registry.example:5000"], "certificates": ["/etc/certs"],
             "tries": 2, "stallSeconds": 5, "parallel": 7, "foreignLayers": true}
            """);

    assertThat(settings.mirrors().get("docker.io"))
        .containsExactly(
            new Mirror(
                URI.create("https://m.example"), Set.of(Mirror.Capability.PULL), Optional.empty()),
            new Mirror(
                URI.create("http://localhost:5000"),
                Set.of(Mirror.Capability.values()),
                Optional.empty()));
    assertThat(settings.insecure()).containsExactly("registry.example:5000");
    assertThat(settings.certificates()).containsExactly(Path.of("/etc/certs"));
    assertThat(settings.retries().tries()).isEqualTo(2);
    assertThat(settings.stall()).isEqualTo(Duration.ofSeconds(5));
    assertThat(settings.parallel()).isEqualTo(7);
    assertThat(settings.foreignLayers()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"mirrors\": []} | mirrors",
        "{\"mirrors\": {\"a\": [{}]}} | address",
        "{\"mirrors\": {\"a\": [{\"address\": \"ftp://m\"}]}} | ftp://m",
        "{\"mirrors\": {\"a\": [{\"address\": \"https://m\", \"capabilities\": [\"push\"]}]}} |"
            + " push",
        "{\"mirrors\": {\"a\": [{\"address\": \"https://m\", \"user\": \"x\"}]}} | user",
        "{\"insecure\": \"a\"} | insecure",
        "{\"certificates\": [7]} | certificates",
        "{\"tries\": 0} | tries",
        "{\"stallSeconds\": 0} | stall",
        "{\"parallel\": 0} | parallel",
        "{\"foreignLayers\": \"yes\"} | foreignLayers",
        "{\"unknown\": 1} | unknown",
        "[] | registries.json",
        "{ | registries.json"
      })
  void whatIsWrongIsNamedWithTheFile(String document, String part) {
    assertThatThrownBy(() -> read(document))
        .isInstanceOf(ImageException.class)
        .hasMessageContaining("registries.json")
        .hasMessageContaining(part);
  }

  @ParameterizedTest
  @CsvSource({
    "https://localhost:5000, true",
    "https://127.0.0.1, true",
    "https://127.1.2.3:5000, true",
    "https://[::1]:5000, true",
    "https://a.example:5000, true",
    "https://a.example, false",
    "https://b.example, true",
    "https://b.example:443, true",
    "https://localhost.example, false",
    "https://127.0.0.1.example, false"
  })
  void plainHttpIsForThisMachineAndForInsecureHosts(URI address, boolean allowed) {
    var settings = RegistrySettings.USUAL.withInsecure(Set.of("a.example:5000", "b.example"));

    assertThat(settings.allowsPlain(Origin.of(address))).isEqualTo(allowed);
  }
}
