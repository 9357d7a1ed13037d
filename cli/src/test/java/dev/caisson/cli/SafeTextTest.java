package dev.caisson.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.json.Json;
import dev.caisson.library.ContainerState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("case-113")
class SafeTextTest {
  private static final String IMAGE = "/image-with-escape-codes.json";

  @SuppressWarnings("unchecked")
  private static Map<String, Object> image() throws IOException {
    try (var in = SafeTextTest.class.getResourceAsStream(IMAGE)) {
      return (Map<String, Object>)
          Json.readTree(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  @Test
  void dangerousCharactersAreWrittenOut() {
    assertThat(SafeText.of("a\u001b[2J\b\n\r\t\u0007\u007f\u009b\u202e\u2028\udb40\udc01é😀\\"))
        .isEqualTo("a\\x1b[2J\\b\\n\\r\\t\\x07\\x7f\\u009b\\u202e\\u2028\\U000e0001é😀\\");
    assertThat(SafeText.of("\ud800")).isEqualTo("\\ud800");
  }

  @Test
  void tablesShowCommandsOfAnImageEscaped() throws IOException {
    var machine = new FakeMachine();
    var config = (Map<?, ?>) image().get("config");
    var command = ((java.util.List<?>) config.get("Cmd")).toArray(String[]::new);
    machine.node.containers.add(FakeNode.container("web", ContainerState.RUNNING, command));

    machine.run("ps", "--no-trunc");
    machine.run("ps");
    machine.run("ps", "--format", "{{.Command}}");

    assertThat(machine.output())
        .contains(
            "\"/no/such\\x1b[2J\\x1b[H a\\bb line1\\nline2 \\u202egpj.exe \\u009b31m\"",
            "\"/no/such\\x1b[2J\\x1b…\"")
        .doesNotContain("\u001b", "\u009b", "\u202e", "\b");
  }

  @Test
  void jsonStaysJsonAndIsHarmlessToo() throws IOException {
    var machine = new FakeMachine();
    machine.node.image = Optional.of(image());

    machine.run("image", "inspect", "image");

    assertThat(machine.output()).doesNotContain("\u001b", "\u009b", "\u202e", "\b");
    assertThat(Json.readTree(machine.output())).isEqualTo(java.util.List.of(image()));
  }

  @Test
  void imageInspectInOneWordIsTheSameCommand() throws IOException {
    var machine = new FakeMachine();
    machine.node.image = Optional.of(image());

    assertThat(machine.run("image-inspect", "image")).isZero();

    assertThat(Json.readTree(machine.output())).isEqualTo(java.util.List.of(image()));
  }

  @Test
  void errorsAreEscaped() {
    var machine = new FakeMachine();

    machine.run("inspect", "a\u001b]0;title\u0007");

    assertThat(machine.errors()).contains("a\\x1b]0;title\\x07").doesNotContain("\u001b");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0B, 0B",
    "999, 999B, 999B",
    "1000, 1kB, 1000B",
    "1024, 1.02kB, 1KiB",
    "4260000, 4.26MB, 4.063MiB",
    "123456789, 123MB, 117.7MiB",
    "1500000000, 1.5GB, 1.397GiB"
  })
  void sizesAreShort(long bytes, String decimal, String binary) {
    assertThat(Sizes.decimal(bytes)).isEqualTo(decimal);
    assertThat(Sizes.binary(bytes)).isEqualTo(binary);
  }

  @ParameterizedTest
  @CsvSource({
    "0, Less than a second", "1, 1 second", "59, 59 seconds", "60, About a minute",
    "119, About a minute", "120, 2 minutes", "3600, About an hour", "7200, 2 hours",
    "172800, 2 days", "1209600, 2 weeks", "5184000, 2 months", "63072000, 2 years"
  })
  void agesAreRough(long seconds, String words) {
    assertThat(Times.about(seconds)).isEqualTo(words);
  }

  @ParameterizedTest
  @CsvSource({"90, 90", "90s, 90", "1m30s, 90", "2h, 7200", "1d, 86400", "1500ms, 1"})
  void durationsAreRead(String text, long seconds) {
    assertThat(Times.duration(text).toSeconds()).isEqualTo(seconds);
  }
}
