package dev.caisson.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  record Memory(Optional<Long> limit, @Unsigned long shares, int count) {}

  record Resources(Memory memory, @Unknown Map<String, Object> others) {}

  record Spec(
      @Name("ociVersion") String version,
      Resources resources,
      List<String> args,
      Map<String, String> labels,
      @Unknown Map<String, Object> others) {}

  @Inline
  record Id(String value) {
    Id {
      if (value.isEmpty()) {
        throw new IllegalArgumentException("id '': must not be empty");
      }
    }
  }

  @Tagged("call")
  sealed interface Call {
    @Name("task.start")
    record Start(Id id, Optional<Duration> grace) implements Call {}

    record Stop() implements Call {}
  }

  enum Policy {
    NEVER_EVER,
    @Name("Always")
    ALWAYS
  }

  record Moment(Instant at, Policy policy, byte[] bytes) {}

  @Test
  void unknownFieldsAtEveryLevelSurviveARoundTrip() {
    var document =
        """
        {"ociVersion":"1.2","resources":{"memory":{"limit":5,"shares":0,"count":0},"net":{"x":[1,null,2.50]}},\
        "args":["a","b"],"big":123456789012345678901234567890,"nothing":null}\
        """;

    var spec = Json.read(document, Spec.class);

    assertThat(Json.text(spec)).isEqualTo(document);
  }

  @Test
  void anAbsentFieldIsEmptyAndAnEmptyFieldIsNotWritten() {
    var spec = Json.read("{\"resources\":{\"memory\":{}}}", Spec.class);

    assertThat(spec.args()).isEmpty();
    assertThat(spec.resources().memory().limit()).isEmpty();
    assertThat(Json.text(new Call.Start(new Id("x"), Optional.empty())))
        .isEqualTo("{\"call\":\"task.start\",\"id\":\"x\"}");
  }

  @Test
  void aMissingRecordIsAnErrorNamingTheField() {
    assertThatThrownBy(() -> Json.read("{}", Spec.class))
        .isInstanceOf(JsonException.class)
        .hasMessageContaining("'resources' is missing");
  }

  @Test
  void aFamilyIsToldApartByItsTag() {
    assertThat(Json.read("{\"call\":\"stop\"}", Call.class)).isEqualTo(new Call.Stop());
    assertThat(Json.read("{\"call\":\"task.start\",\"id\":\"x\",\"grace\":1000}", Call.class))
        .isEqualTo(new Call.Start(new Id("x"), Optional.of(Duration.ofNanos(1000))));
    assertThatThrownBy(() -> Json.read("{\"call\":\"fly\"}", Call.class))
        .hasMessageContaining("unknown 'fly'");
  }

  @Test
  void aRefusingConstructorIsAnErrorAtItsField() {
    assertThatThrownBy(() -> Json.read("{\"call\":\"task.start\",\n \"id\":\"\"}", Call.class))
        .isInstanceOfSatisfying(
            JsonException.class,
            e -> {
              assertThat(e.path()).isEqualTo("id");
              assertThat(e.line()).isEqualTo(2);
            })
        .hasMessageContaining("must not be empty");
  }

  @Test
  void timesEnumsAndBytesHaveTheirForms() {
    var moment =
        new Moment(
            Instant.parse("2026-01-02T03:04:05.678901234Z"), Policy.NEVER_EVER, new byte[] {1, 2});

    assertThat(Json.text(moment))
        .isEqualTo(
            "{\"at\":\"2026-01-02T03:04:05.678901234Z\",\"policy\":\"never-ever\",\"bytes\":\"AQI=\"}");
    var back = Json.read(Json.write(moment), Moment.class);
    assertThat(back.at()).isEqualTo(moment.at());
    assertThat(back.bytes()).containsExactly(1, 2);
    assertThat(
            Json.read("{\"at\":\"2026-01-02T03:04:05+02:00\",\"policy\":\"Always\"}", Moment.class)
                .at())
        .isEqualTo(Instant.parse("2026-01-02T01:04:05Z"));
  }

  @Tag("case-145")
  @ParameterizedTest
  @CsvSource({
    "5368709120, 5368709120",
    "5.0, 5",
    "1e9, 1000000000",
    "9223372036854775807, 9223372036854775807",
    "-1, -1"
  })
  void wholeNumbersAreReadExactly(String written, long meant) {
    assertThat(Json.read("{\"limit\":" + written + "}", Memory.class).limit()).contains(meant);
  }

  @Tag("case-145")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "8589407999.999999",
        "9223372036854775808",
        "1e400",
        "1e99999999999999",
        "\"5\"",
        "true"
      })
  void whatIsNoWholeNumberOf64BitsIsANamedError(String written) {
    assertThatThrownBy(() -> Json.read("{\"limit\":" + written + "}", Memory.class))
        .isInstanceOfSatisfying(JsonException.class, e -> assertThat(e.path()).isEqualTo("limit"));
  }

  @Tag("case-145")
  @Test
  void anUncountableExponentIsANamedErrorInATreeAsWell() {
    assertThatThrownBy(() -> Json.readTree("{\"a\":1e99999999999999}"))
        .isInstanceOf(JsonException.class)
        .hasMessageContaining("a: 1e99999999999999 is out of range");
  }

  @Tag("case-145")
  @Test
  void unsignedNumbersReachTwoToThe64() {
    var memory = Json.read("{\"shares\":18446744073709551615}", Memory.class);

    assertThat(memory.shares()).isEqualTo(-1);
    assertThat(Json.text(memory)).contains("18446744073709551615");
    assertThatThrownBy(() -> Json.read("{\"shares\":18446744073709551616}", Memory.class))
        .hasMessageContaining("64 bits");
    assertThatThrownBy(() -> Json.read("{\"shares\":-1}", Memory.class))
        .hasMessageContaining("negative");
    assertThatThrownBy(() -> Json.read("{\"count\":4294967297}", Memory.class))
        .hasMessageContaining("32 bits");
  }

  @Tag("case-143")
  @ParameterizedTest
  @ValueSource(
      strings = {"", "null", "[]", "{} {}", "{}x", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "{'a':1}"})
  void aBrokenDocumentIsAnErrorWithItsPlace(String document) {
    assertThatThrownBy(() -> Json.read(document, Memory.class))
        .isInstanceOf(JsonException.class)
        .hasMessageStartingWith("line 1:");
  }

  @ParameterizedTest
  @CsvSource({"a, 1, 6", "b.c[1], 2, 14", "b.c[1].none, 2, 14", "b.d, 2, 6", "x, 1, 1", "'', 1, 1"})
  void aFieldIsFoundOrWhatItWouldBeIn(String path, int line, int column) {
    var document = "{\"a\":1,\n\"b\": {\"c\":[1,2]}}".getBytes();

    assertThat(Json.find(document, path)).isEqualTo(new JsonPlace(line, column));
  }

  @Test
  void aByteOrderMarkIsPassedOver() {
    assertThat(Json.read("\uFEFF{\"count\":3}", Memory.class).count()).isEqualTo(3);
  }

  @Tag("case-118")
  @Test
  void boundsHold() {
    var limits = new JsonLimits(100, 3, 10);

    assertThatThrownBy(() -> Json.readTree(" ".repeat(101).getBytes(), "x.json", limits))
        .hasMessageContaining("longer than 100 bytes");
    assertThatThrownBy(() -> Json.readTree("[[[[1]]]]".getBytes(), "x.json", limits))
        .hasMessageContaining("deeper than 3");
    assertThatThrownBy(() -> Json.readTree("[1,1,1,1,1,1,1,1,1,1,1]".getBytes(), "", limits))
        .hasMessageContaining("more than 10 values");
  }
}
