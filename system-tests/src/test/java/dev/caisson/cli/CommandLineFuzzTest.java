package dev.caisson.cli;

import dev.caisson.fuzz.Fuzzing;
import dev.caisson.library.CaissonException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The words of a command line. */
@Tag("fuzz")
class CommandLineFuzzTest {
  @Test
  void options() {
    Fuzzing.ofTexts(
            "options",
            "-it\n--name\nweb\n-e\nA=b\n--memory=64m\nbusybox\nsh\n-c\ntrue",
            "--rm\n-v/a:/b\n--label\na=b\n--\nbusybox",
            "-d\n-eA=b\n--cpus\n1.5\nbusybox")
        .refusedBy(UsageException.class)
        .texts(text -> {
          var command = new RunCommand();
          command.checkArguments(command.options.read(List.of(text.split("\n")), true));
        });
  }

  @Test
  void commands() {
    Fuzzing.ofTexts("commands", "container\nls", "image\nprune\n-f", "system\ninfo", "help\nrun")
        .texts(text -> Commands.find(List.of(text.split("\n", -1))));
  }

  @Test
  void templates() {
    var row = new MapRow(Map.of("Name", "web", "Size", 7L, "Labels", Map.of("a", "b")));
    Fuzzing.ofTexts(
            "templates",
            "{{.Name}}\\t{{.Size}}",
            "table {{.Name}}",
            "{{json .Labels}}",
            "{{.Labels.a}} {{json .}}")
        .refusedBy(UsageException.class)
        .texts(text -> {
          var template = new Template(text);
          template.apply(row);
          template.headings();
        });
  }

  @Test
  void times() {
    Fuzzing.ofTexts("times", "2026-01-01T00:00:00Z", "10m", "1h30m", "1700000000.5", "2026-01-01")
        .refusedBy(IllegalArgumentException.class)
        .texts(Times::moment);
    Fuzzing.ofTexts("durations", "10s", "1h30m", "90", "1m30s")
        .refusedBy(IllegalArgumentException.class)
        .texts(Times::duration);
  }

  @Test
  void detachKeys() {
    Fuzzing.ofTexts("detach keys", "ctrl-p,ctrl-q", "a,b", "ctrl-@")
        .refusedBy(UsageException.class, CaissonException.class, IllegalArgumentException.class)
        .texts(DetachKeys::new);
  }

  @Test
  void unsafeText() {
    Fuzzing.ofTexts("texts for a terminal", "plain", "\u001b[2J\u202e", "\ud83d\ude00")
        .texts(text -> {
          if (SafeText.of(text).chars().anyMatch(c -> c < ' ' || c == 0x7f || c == 0x202e)) {
            throw new IllegalStateException("not safe: " + SafeText.of(text));
          }
        });
  }
}
