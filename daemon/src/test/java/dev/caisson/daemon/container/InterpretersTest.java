package dev.caisson.daemon.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.caisson.engine.spec.Mount;
import dev.caisson.engine.spec.Process;
import dev.caisson.library.CaissonException;
import dev.caisson.library.Reason;
import dev.caisson.linux.DirectoryHandle;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InterpretersTest {
  @TempDir Path root;

  @BeforeEach
  void makeShell() throws IOException {
    Files.createDirectories(root.resolve("srv"));
    program("bin/sh", "no script".getBytes(StandardCharsets.UTF_8));
    Files.createSymbolicLink(root.resolve("bin/alias"), Path.of("/bin/sh"));
    Files.createSymbolicLink(root.resolve("bin/dangling"), Path.of("/bin/none"));
  }

  private void program(String path, byte[] content) throws IOException {
    var file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.write(file, content);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private void script(String path, String text) throws IOException {
    program(path, text.getBytes(StandardCharsets.UTF_8));
  }

  /** What is refused, or null. */
  private CaissonException refusal(Process process, Mount... hidden) throws IOException {
    try (var handle = DirectoryHandle.open(root)) {
      var view = new RootView(handle);
      return catchThrowableOfType(
          CaissonException.class,
          () -> Interpreters.check("start", process, view, List.of(hidden)));
    }
  }

  private static Process of(String... args) {
    return Process.of("/srv", List.of(args)).withEnv(List.of("PATH=/none:/bin:/opt"));
  }

  @Tag("case-42")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "#!/no/such -x | /no/such",
        "#! \t/no/such\targument | /no/such",
        "#!relative | /srv/relative",
        "#!/bin/dangling | /bin/dangling",
        "#!/bin/sh/x | /bin/sh/x",
        "#!/opt/second | /no/second"
      })
  void aScriptWhoseInterpreterIsMissingIsNotFound(String line, String named) throws IOException {
    script("opt/script", line + "\necho hello\n");
    script("opt/second", "#!/no/second\n");

    for (var process : List.of(of("/opt/script"), of("script", "a"), of("../opt/script"))) {
      assertThat(refusal(process))
          .hasMessageContaining("run by '" + named + "', which does not exist")
          .returns(Reason.PROGRAM_NOT_FOUND, CaissonException::reason);
    }
  }

  @Tag("case-42")
  @Test
  void aLineThatEndsAsOtherSystemsEndThemIsToldAsSuch() throws IOException {
    script("opt/script", "#!/bin/sh\r\necho hello\r\n");

    assertThat(refusal(of("/opt/script")))
        .hasMessageContaining("'/bin/sh\\r', which does not exist")
        .hasMessageContaining("newlines");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "#!/bin/sh\n",
        "#!/bin/alias",
        "#!/opt/script\n",
        "#!",
        "#!\n",
        "#!  \n/no/such",
        "",
        "#",
        "text",
        "#!/dev/tool\n"
      })
  void whatCanBeRunOrIsNotKnownIsLeftToTheKernel(String text) throws IOException {
    script("opt/script", text);

    assertThat(refusal(of("/opt/script"), Mount.of("/dev", "tmpfs", "tmpfs", List.of()))).isNull();
    assertThat(refusal(of("/opt/none"))).isNull();
    assertThat(refusal(of("/opt"))).isNull();
    assertThat(refusal(of("none"))).isNull();
  }

  @Test
  void aProgramBelowAMountIsNotJudgedByWhatTheMountHides() throws IOException {
    script("opt/script", "#!/no/such\n");

    assertThat(refusal(of("/opt/script"), Mount.of("/opt", "bind", "/x", List.of("bind"))))
        .isNull();
  }

  @Tag("case-42")
  @Test
  void anExecutableWhoseLoaderIsMissingIsNotFound() throws IOException {
    program("opt/tool", executable("/lib64/ld-of-another-library.so.2"));

    assertThat(refusal(of("/opt/tool")))
        .hasMessageContaining("'/lib64/ld-of-another-library.so.2', which does not exist")
        .hasMessageContaining("C library");
    program("opt/tool", executable("/bin/sh"));
    assertThat(refusal(of("/opt/tool"))).isNull();
  }

  @Test
  void brokenExecutablesAreLeftToTheKernel() throws IOException {
    var whole = executable("/lib/ld");
    for (int length = 0; length < 120; length++) {
      program("opt/tool", ByteBuffer.wrap(whole).slice(0, length).array());
      refusal(of("/opt/tool"));
    }
    for (int at = 16; at < whole.length; at++) {
      for (int value : new int[] {0, 0x7f, 0xff}) {
        var broken = whole.clone();
        broken[at] = (byte) value;
        program("opt/tool", broken);
        refusal(of("/opt/tool"));
      }
    }
  }

  /** Headers of an executable for this machine that names a loader. */
  private static byte[] executable(String loader) {
    var name = (loader + "\0").getBytes(StandardCharsets.UTF_8);
    var file = ByteBuffer.allocate(64 + 56 + name.length).order(ByteOrder.LITTLE_ENDIAN);
    file.put(new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1});
    file.putShort(18, (short) (System.getProperty("os.arch").equals("aarch64") ? 183 : 62));
    file.putLong(32, 64).putShort(54, (short) 56).putShort(56, (short) 1);
    file.putInt(64, 3).putLong(64 + 8, 120).putLong(64 + 32, name.length);
    file.put(120, name);
    return file.array();
  }
}
