package dev.caisson.system.install;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.system.Installed;
import dev.caisson.system.Ran;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shell scripts that start Java, wherever they lie and whatever they find. */
class LaunchersIT {
  private static final Map<String, String> USUAL = Map.of("PATH", "/usr/bin:/bin");

  @TempDir private Path folder;

  @Test
  void startedThroughLinksTheyFindTheirFolder() throws Exception {
    var absolute = Files.createSymbolicLink(folder.resolve("first"), Installed.program("caisson"));
    var relative = Files.createSymbolicLink(folder.resolve("second"), Path.of("first"));

    var byAbsolute = Ran.of(USUAL, List.of(absolute.toString(), "--version"));
    var byRelative = Ran.of(USUAL, List.of(relative.toString(), "--version"));

    assertThat(byAbsolute.status()).as(byAbsolute.err()).isZero();
    assertThat(byRelative).isEqualTo(byAbsolute);
  }

  @Test
  void wordsBeyondAsciiArriveWhereNoLocaleIsSet() throws Exception {
    var ran = Ran.of(USUAL, List.of(Installed.program("caisson").toString(), "größe"));

    assertThat(ran.err()).contains("größe");
  }

  @Test
  void aCacheThatDoesNotFitIsPassedOverInSilence() throws Exception {
    var usual = Ran.of(USUAL, List.of(Installed.program("caisson").toString(), "--version"));
    copyInstallation();
    Files.createSymbolicLink(folder.resolve("jdk"), Installed.HOME.resolve("jdk").toRealPath());
    Files.createDirectory(folder.resolve("aot"));
    Files.writeString(folder.resolve("aot/cli.aot"), "not a cache");

    var ran = Ran.of(USUAL, List.of(folder.resolve("bin/caisson").toString(), "--version"));

    assertThat(ran).isEqualTo(usual);
  }

  @Test
  void withoutJavaTheySayWhatToInstall() throws Exception {
    copyInstallation();
    var tools = Files.createDirectory(folder.resolve("tools"));
    for (var tool : List.of("sh", "sed", "dirname", "readlink")) {
      Files.createSymbolicLink(tools.resolve(tool), Path.of("/usr/bin", tool));
    }

    for (var program : List.of("caisson", "caissond")) {
      var ran =
          Ran.of(
              Map.of("PATH", tools.toString()),
              List.of(folder.resolve("bin").resolve(program).toString()));

      assertThat(ran.status()).isEqualTo(125);
      assertThat(ran.err()).contains("needs Java 25 or later", "set JAVA_HOME");
    }
  }

  @Test
  void anUnknownOptionOfTheDaemonIsRefused() throws Exception {
    var ran = Ran.of(USUAL, List.of(Installed.program("caissond").toString(), "--rot", "/x"));

    assertThat(ran.status()).isEqualTo(125);
    assertThat(ran.err()).contains("'--rot'", "--help");
  }

  /** Programs and jars, without the caches and the link to a JDK. */
  private void copyInstallation() throws IOException {
    for (var part : List.of("bin", "lib")) {
      Files.createDirectory(folder.resolve(part));
      try (var files = Files.newDirectoryStream(Installed.HOME.resolve(part))) {
        for (var file : files) {
          Files.copy(file, folder.resolve(part).resolve(file.getFileName()));
        }
      }
    }
  }
}
