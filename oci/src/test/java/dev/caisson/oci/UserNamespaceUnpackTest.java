package dev.caisson.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.caisson.linux.DirectoryHandle;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs a JVM of its own, since one that runs cannot enter a user namespace. */
class UserNamespaceUnpackTest {
  @TempDir Path temporary;

  @AfterEach
  void removeAll() throws IOException {
    try (var handle = DirectoryHandle.open(temporary)) {
      handle.removeChildren();
    }
  }

  @Test
  @Tag("case-3")
  void deletedFilesAreDeletedWithoutTheRightToMakeDevices() throws Exception {
    assumeTrue(
        run("unshare", "-U", "-r", "-m", "true").status() == 0,
        "user namespaces: not allowed here; sysctl -w user.max_user_namespaces=10000");

    var result =
        run(
            "unshare",
            "-U",
            "-r",
            "-m",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            Inside.class.getName(),
            temporary.toRealPath().toString());

    assertThat(result.status()).as(result.output()).isZero();
    assertThat(result.output().lines()).contains("root: [kept, new]", "kept: [file]");
  }

  private record Result(int status, String output) {}

  private static Result run(String... command) throws Exception {
    var process = new ProcessBuilder(command).redirectErrorStream(true).start();
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Result(process.waitFor(), output);
  }

  /** Unpacks and mounts two layers, the second of which deletes, and prints what is there. */
  static final class Inside {
    private static final List<byte[]> LAYERS =
        LayerText.layers(
            """
            layer
            file kept/file 0640 "kept"
            file kept/deleted 0640 "old"
            file gone/with/all 0640 "old"
            layer
            file kept/.wh.deleted 0644 ""
            file .wh.gone 0644 ""
            file new 0644 "new"
            """);

    private Inside() {}

    public static void main(String[] arguments) throws IOException {
      Path directory = Path.of(arguments[0]);
      var store = LayerStore.open(directory.resolve("layers"));
      var diffIds = LAYERS.stream().map(Digest::of).toList();
      var chain = Image.ChainId.of(diffIds);
      for (int i = 0; i < LAYERS.size(); i++) {
        byte[] layer = LAYERS.get(i);
        store.unpack(
            chain.subList(0, i),
            chain.get(i),
            diffIds.get(i),
            new Unpacking("test", "", LayerLimits.USUAL),
            () -> new ByteArrayInputStream(layer));
      }
      Path root = directory.resolve("rootfs");
      store.mount(chain, directory.resolve("changes"), root);
      System.out.println("root: " + names(root));
      System.out.println("kept: " + names(root.resolve("kept")));
      store.unmount(root);
    }

    private static List<String> names(Path directory) throws IOException {
      try (var names = Files.list(directory)) {
        return new ArrayList<>(names.map(path -> path.getFileName().toString()).sorted().toList());
      }
    }
  }
}
