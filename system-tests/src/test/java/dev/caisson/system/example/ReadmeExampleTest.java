package dev.caisson.system.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The Java example of the README is the one that is compiled here. */
class ReadmeExampleTest {
  private static final String FENCE = "```";

  @Test
  void theReadmeShowsTheExampleThatCompiles() throws IOException {
    var readme = Files.readString(Path.of("../README.md"));
    var source =
        Files.readString(Path.of("src/test/java/dev/caisson/system/example/FirstContainer.java"));

    var shown = readme.substring(readme.indexOf(FENCE + "java\n") + FENCE.length() + 5);

    assertThat(shown.substring(0, shown.indexOf(FENCE)))
        .isEqualTo(source.substring(source.indexOf("import ")));
  }
}
