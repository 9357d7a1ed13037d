package dev.caisson.system.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.caisson.system.Installed;
import dev.caisson.system.Ran;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code caisson completion} prints, in the shells it is for. */
class CompletionIT {
  private static final Map<String, String> USUAL =
      Map.of("PATH", "/usr/bin:/bin", "HOME", "/nonexistent", "LC_ALL", "C.UTF-8");

  @TempDir private Path folder;

  @Test
  void bashCompletesCommandsAndOptions() throws Exception {
    var script = script("bash");

    var ran =
        shell(
            "bash",
            """
            compopt() { :; }
            . %s
            complete -p caisson
            try() {
              COMP_WORDS=(caisson "$@"); COMP_CWORD=$#; COMPREPLY=()
              _complete_caisson; echo "${COMPREPLY[*]}"
            }
            try ru
            try image ""
            try run --mem
            """
                .formatted(script));

    assertThat(ran.out().lines().skip(1))
        .satisfiesExactly(
            run -> assertThat(run).isEqualTo("run"),
            images -> assertThat(images).contains("ls", "pull", "prune"),
            options -> assertThat(options).contains("--memory", "--memory-swap"));
  }

  @Test
  void zshTakesTheSameScript() throws Exception {
    assumeShell("zsh");

    var ran =
        shell(
            "zsh",
            "autoload -Uz compinit; compinit -u -D\n. "
                + script("zsh")
                + "\nprint -r -- ${_comps[caisson]}\n");

    assertThat(ran.out()).as(ran.err()).contains("_complete_caisson");
  }

  @Test
  void fishCompletesCommandsAndOptions() throws Exception {
    assumeShell("fish");

    var ran =
        shell(
            "fish",
            """
            source %s
            complete -C 'caisson ru'
            complete -C 'caisson image '
            complete -C 'caisson run --mem'
            """
                .formatted(script("fish")));

    assertThat(ran.out()).as(ran.err()).contains("run\t", "pull\t", "prune\t", "--memory");
  }

  private Path script(String shell) throws Exception {
    var printed =
        Ran.of(USUAL, List.of(Installed.program("caisson").toString(), "completion", shell));
    assertThat(printed.status()).as(printed.err()).isZero();
    return Files.writeString(folder.resolve("completion"), printed.out());
  }

  private Ran shell(String shell, String text) throws Exception {
    var file = Files.writeString(folder.resolve("try"), text);
    return Ran.of(USUAL, List.of(shell, file.toString()));
  }

  private static void assumeShell(String shell) {
    assumeThat(Files.isExecutable(Path.of("/usr/bin", shell)))
        .as(shell + ": is not there; install package " + shell)
        .isTrue();
  }
}
