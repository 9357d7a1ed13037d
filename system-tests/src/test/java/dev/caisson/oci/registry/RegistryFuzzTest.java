package dev.caisson.oci.registry;

import dev.caisson.fuzz.Fuzzing;
import dev.caisson.oci.ImageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What registries answer and users write about them. */
@Tag("fuzz")
class RegistryFuzzTest {
  @Test
  void challenges() {
    Fuzzing.ofTexts(
            "challenges",
            "Bearer realm=\"https://auth.example/token\",service=\"r\",scope=\"repository:a:pull\"",
            "Basic realm=x, Bearer realm=\"a\\\"b\"")
        .texts(text -> Challenge.parse(List.of(text)));
  }

  @Test
  void loginFiles(@TempDir Path directory) {
    var file = directory.resolve("config.json");
    Fuzzing.ofTexts(
            "login files",
            "{\"auths\": {\"r.example\": {\"auth\": \"dXNlcjpwYXNz\"}, \"q\": {}},"
                + " \"credsStore\": \"x\", \"credHelpers\": {\"h\": \"y\"}}")
        .refusedBy(ImageException.class)
        .run(input -> {
          Files.write(file, input);
          LoginFile.read(file, _ -> {});
        });
  }

  @Test
  void settings(@TempDir Path directory) {
    var file = directory.resolve("registries.json");
    Fuzzing.ofTexts("registry settings", "{}")
        .refusedBy(ImageException.class)
        .run(input -> {
          Files.write(file, input);
          RegistrySettings.read(List.of(file));
        });
  }
}
