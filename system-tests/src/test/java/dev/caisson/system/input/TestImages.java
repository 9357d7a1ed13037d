package dev.caisson.system.input;

import dev.caisson.system.Ran;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** Archives of {@code docker save}, made with tar, so that they can be as wrong as a test wants. */
final class TestImages {
  private static final Map<String, String> PATH = Map.of("PATH", "/usr/bin:/bin");

  private TestImages() {}

  /** An image of one layer with what is below a directory. */
  static Path archiveOf(Path folder, Path content) throws IOException, InterruptedException {
    var layer = folder.resolve("layer.tar");
    tar(layer, content, ".");
    return archiveOfLayer(folder, Files.readAllBytes(layer));
  }

  /** An image of one layer with these bytes, named by their digest as the config has it. */
  static Path archiveOfLayer(Path folder, byte[] layer) throws IOException, InterruptedException {
    return archiveOfLayer(folder, layer, sha256(layer));
  }

  /** An image of one layer whose config says that its digest is another. */
  static Path archiveOfLayer(Path folder, byte[] layer, String digest)
      throws IOException, InterruptedException {
    var image = Files.createTempDirectory(folder, "image");
    Files.write(image.resolve("layer.tar"), layer);
    Files.writeString(
        image.resolve("config.json"),
        """
        {"architecture": "amd64", "os": "linux", "config": {"Cmd": ["true"]},
         "rootfs": {"type": "layers", "diff_ids": ["sha256:%s"]}}
        """
            .formatted(digest));
    Files.writeString(
        image.resolve("manifest.json"),
        """
        [{"Config": "config.json", "RepoTags": ["example.org/test:1"], "Layers": ["layer.tar"]}]
        """);
    var archive = Files.createTempFile(folder, "image", ".tar");
    tar(archive, image, "layer.tar", "config.json", "manifest.json");
    return archive;
  }

  /** Packs files of a directory. */
  static void tar(Path archive, Path directory, String... files)
      throws IOException, InterruptedException {
    var command =
        new ArrayList<>(List.of("tar", "-cf", archive.toString(), "-C", directory.toString()));
    command.addAll(List.of(files));
    var ran = Ran.of(PATH, command);
    if (ran.status() != 0) {
      throw new IOException(command + ": " + ran.err());
    }
  }

  static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Text as bytes. */
  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
