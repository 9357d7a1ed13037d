package dev.caisson.engine.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.caisson.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SpecReaderTest {
  private static final String USUAL =
      """
      {"ociVersion": "1.0.0", "root": {"path": "rootfs"},
       "process": {"args": ["sh"], "cwd": "/"}}
      """;

  private static Spec read(String document) {
    return SpecReader.spec(document.getBytes(StandardCharsets.UTF_8), "config.json").value();
  }

  private static SpecException refusal(byte[] document) {
    return catchThrowableOfType(
        SpecException.class, () -> SpecReader.spec(document, "config.json"));
  }

  @Test
  void everyFieldAndUnknownOnesAtEveryLevelSurviveARoundTrip() {
    var document = SpecTree.resource("everything.json");

    var read = SpecReader.spec(document.getBytes(StandardCharsets.UTF_8), "config.json");

    assertThat(read.warnings()).isEmpty();
    assertThat(Json.readTree(Json.text(read.value())))
        .usingRecursiveComparison()
        .isEqualTo(Json.readTree(document));
    // The order stays as well, as long as known fields stand in the specification's order.
    assertThat(Json.text(read.value().annotations()))
        .isEqualTo("{\"z.example\":\"last first\",\"a.example\":\"\"}");
  }

  static Stream<Arguments> brokenFields() {
    return SpecTree.resource("broken-fields.txt")
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split(" \\| "))
        .map(part -> Arguments.of(part[0], part[1], part[2], part.length > 3 ? part[3] : part[0]));
  }

  @Tag("case-143")
  @Tag("case-145")
  @ParameterizedTest(name = "{0} = {1}")
  @MethodSource("brokenFields")
  void aBrokenFieldIsNamed(String field, String value, String problem, String named) {
    var refusal = refusal(SpecTree.withEverything().with(field, value).document());

    assertThat(refusal).isNotNull();
    assertThat(refusal.findings())
        .anySatisfy(finding -> {
          assertThat(finding.path()).isEqualTo(named);
          assertThat(finding.problem()).contains(problem);
        });
    assertThat(refusal).hasMessageMatching("(?s)config\\.json:1:\\d+: .*");
  }

  @Tag("case-143")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "null | null, wanted an object",
        "'' | an empty document",
        "{} | ociVersion: missing",
        "[] | an array, wanted an object",
        "{\"ociVersion\":\"1.0.0\"},\"process\":{}} | text after the end",
        "{\"ociVersion\":\"1.0.0\"} | root: missing",
        "{\"ociVersion\":\"1.0.0\",\"root\":{\"path\":\"r\"},\"process\":{\"args\":[],\"cwd\":\"/\"}}"
            + " | process.args: missing or empty",
        "{\"ociVersion\":\"1.0.0\",\"root\":{\"path\":\"r\"},\"process\":{\"args\":[\"sh\"]}} |"
            + " process.cwd: missing",
        "{\"ociVersion\":\"1.0.0\",\"root\":{\"path\":\"r\"},\"process\":{\"args\":[\"sh\"],\"cwd\":\"x\"}}"
            + " | process.cwd: found 'x', wanted an absolute path",
        "{\"ociVersion\":\"1.0.0\",\"root\":{},\"process\":{\"args\":[\"sh\"],\"cwd\":\"/\"}} |"
            + " root.path: missing",
        "{\"ociVersion\":\"1.0.0\",\"ociVersion\":\"1.0.0\"} | Duplicate field",
      })
  void aBrokenConfigurationIsAnErrorWithItsPlace(String document, String problem) {
    assertThatThrownBy(() -> read(document))
        .isInstanceOf(SpecException.class)
        .hasMessageStartingWith("config.json:1:")
        .hasMessageContaining(problem);
  }

  @Tag("case-143")
  @Test
  void whatIsAbsentNullOrUnknownIsNoError() {
    assertThat(read(USUAL).process().orElseThrow().user()).isEmpty();
    assertThat(read("{\"ociVersion\":\"1.0.0\",\"linux\":null,\"root\":{\"path\":\"r\"}}").linux())
        .isEmpty();
    assertThat(read("\uFEFF" + USUAL).root()).isPresent();
    assertThat(Json.text(read(SpecTree.of(USUAL).with("newFutureField", "{\"a\":1}").text())))
        .contains("\"newFutureField\":{\"a\":1}");
  }

  @Tag("case-143")
  @Test
  void aContainerIsMadeButNotStartedWithoutAProcess() {
    var spec = read("{\"ociVersion\":\"1.0.0\",\"root\":{\"path\":\"r\"}}");

    assertThat(SpecCheck.of(spec).errors()).isEmpty();
    assertThat(SpecCheck.beforeStart(spec).errors())
        .containsExactly(new Finding("process", "missing, wanted the program to start"));
  }

  @Tag("case-143")
  @Test
  void aHugeOrDeepDocumentIsRefused(@TempDir Path directory) throws IOException {
    var deep = "{\"ociVersion\":\"1.0.0\",\"x\":" + "[".repeat(10_000) + "]".repeat(10_000) + "}";
    assertThatThrownBy(() -> read(deep)).hasMessageContaining("nested deeper than 100 levels");

    var huge = Files.write(directory.resolve("config.json"), " ".repeat(17 << 20).getBytes());
    assertThatThrownBy(() -> SpecReader.read(huge))
        .isInstanceOf(SpecException.class)
        .hasMessageContaining(huge + ":1:1: longer than");
  }

  @Test
  void allThatIsWrongIsToldAtOnceWithFileLineColumnAndField(@TempDir Path directory)
      throws IOException {
    var file = directory.resolve("config.json");
    Files.writeString(
        file,
        """
        {
          "ociVersion": "1.2.0",
          "root": {"path": "rootfs"},
          "process": {
            "args": ["sh"],
            "cwd": "here"
          },
          "linux": {"resources": {"memory": {"limit": -2}}}
        }
        """);

    assertThatThrownBy(() -> SpecReader.read(file))
        .hasMessage(
            file
                + ":6:12: process.cwd: found 'here', wanted an absolute path; "
                + file
                + ":8:47: linux.resources.memory.limit: found -2, wanted bytes, or -1 for"
                + " unlimited");
  }

  @Tag("case-145")
  @Test
  void numbersAreReadAsTheyAreMeant() {
    var spec =
        SpecTree.of(USUAL)
            .with(
                "linux",
                "{\"resources\":{\"memory\":{},\"cpu\":{\"quota\":0},\"pids\":{\"limit\":0}}}")
            .with("linux.resources.memory.limit", "5368709120")
            .with("process.rlimits", "[{\"type\":\"RLIMIT_CORE\",\"soft\":0}]")
            .with("process.rlimits[0].hard", "18446744073709551615");

    var read = SpecReader.spec(spec.document(), "");

    var resources = read.value().linux().orElseThrow().resources().orElseThrow();
    assertThat(resources.memory().orElseThrow().limit()).contains(5_368_709_120L);
    assertThat(resources.cpu().orElseThrow().quota()).contains(0L);
    assertThat(read.value().process().orElseThrow().rlimits().getFirst().hard()).contains(-1L);
    assertThat(read.warnings())
        .containsExactly(new Finding("linux.resources.pids.limit", "0 sets no limit"));
    assertThat(memoryLimit("9223372036854775807")).isEqualTo(Long.MAX_VALUE);
    assertThat(memoryLimit("1e9")).isEqualTo(1_000_000_000);
    assertThat(memoryLimit("5.0")).isEqualTo(5);
    assertThat(memoryLimit("-1")).isEqualTo(-1);
  }

  private static long memoryLimit(String written) {
    var document = "{\"memory\":{\"limit\":" + written + "}}";
    return SpecReader.resources(document.getBytes(StandardCharsets.UTF_8), "")
        .value()
        .memory()
        .orElseThrow()
        .limit()
        .orElseThrow();
  }

  @Tag("case-66")
  @Test
  void aContradictionBetweenIdleAndSharesIsRefused() {
    assertThatThrownBy(() ->
            SpecReader.resources("{\"cpu\":{\"idle\":1,\"shares\":512}}".getBytes(), "update"))
        .isInstanceOf(SpecException.class)
        .hasMessageContaining("linux.resources.cpu.idle");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "process.capabilities.bounding[0] | \"CAP_FLY\" | no capability",
        "mounts[0].destination | \"proc\" | relative",
        "mounts[1].destination | \"/proc/\" | hides what mounts[0]",
        "mounts[2].options[1] | \"read-only\" | means nothing for a bind",
      })
  void whatIsOddButWorksIsAWarning(String field, String value, String problem) {
    var document = SpecTree.withEverything().with(field, value).document();

    assertThat(SpecReader.spec(document, "").warnings())
        .singleElement()
        .satisfies(warning -> {
          assertThat(warning.path()).isEqualTo(field);
          assertThat(warning.problem()).contains(problem);
        });
  }

  @Test
  void aSectionAloneIsCheckedAsWell() {
    assertThatThrownBy(() -> SpecReader.process("{\"args\":[\"sh\"]}".getBytes(), "exec.json"))
        .hasMessage("exec.json:1:1: cwd: missing, wanted an absolute path");
    assertThat(SpecReader.process("{\"args\":[\"sh\"],\"cwd\":\"/\"}".getBytes(), "").value())
        .satisfies(process -> assertThat(process.args()).containsExactly("sh"));
  }

  @Tag("case-143")
  @Tag("fuzz")
  @Test
  void damagedDocumentsAreReadOrRefusedAndNothingElse() {
    var document = SpecTree.resource("everything.json").getBytes(StandardCharsets.UTF_8);
    var pieces =
        List.of("{", "}", "[", "]", "null", "-1", "1e999", "\"\\u0000\"", "\"\"", ",", ":");
    var random = new Random(7);
    for (int i = 0; i < 5_000; i++) {
      var copy = document.clone();
      for (int changes = random.nextInt(1, 6); changes > 0; changes--) {
        var piece = pieces.get(random.nextInt(pieces.size())).getBytes(StandardCharsets.UTF_8);
        System.arraycopy(piece, 0, copy, random.nextInt(copy.length - piece.length), piece.length);
      }
      try {
        var read = SpecReader.spec(copy, "").value();
        assertThat(Json.read(Json.write(read), Spec.class)).isEqualTo(read);
      } catch (SpecException e) {
        assertThat(e).hasMessageMatching("(?s)line \\d+:\\d+: .+");
      }
    }
  }
}
