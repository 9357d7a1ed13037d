package dev.caisson.system.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.system.Installed;
import dev.caisson.system.Ran;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The Java example of the README does what it says, from no daemon at all. */
@Tag("root")
class ReadmeExampleIT {
  @Test
  void theExampleRunsAContainerAndAProgramInIt() throws Exception {
    var root = Files.createTempDirectory(Path.of("/var/tmp"), "caisson-test").toString();
    var environment =
        Map.of(
            "PATH",
            "/usr/sbin:/usr/bin:/sbin:/bin",
            "CAISSON_ROOT",
            root,
            "CAISSON_HOME",
            Installed.HOME.toString());
    try {
      var ran =
          Ran.of(
              environment,
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  FirstContainer.class.getName()));

      assertThat(ran.err()).isEmpty();
      assertThat(ran.out()).isEqualTo("hello\nit ended with 0\n");
    } finally {
      Ran.of(environment, List.of(Installed.program("caisson").toString(), "system", "stop"));
      Ran.of(environment, List.of("rm", "-rf", "--one-file-system", root));
    }
  }
}
