package dev.caisson.system.images;

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
import java.util.Random;

/**
 * An OCI layout with one image of one layer: {@code /big}, random bytes, and a static shell.
 *
 * @param directory of the layout; its image is called {@code image}
 * @param layerBytes length of the layer
 */
record LayoutOnDisk(Path directory, long layerBytes) {
  private static final Map<String, String> ENVIRONMENT = Map.of("PATH", System.getenv("PATH"));

  /** Writes it below {@code parent}. */
  static LayoutOnDisk write(Path parent, int bigBytes) throws IOException, InterruptedException {
    var tree = Files.createDirectories(parent.resolve("tree"));
    byte[] big = new byte[bigBytes];
    new Random(1).nextBytes(big);
    Files.write(tree.resolve("big"), big);
    Files.createDirectories(tree.resolve("bin"));
    Files.copy(Path.of("/bin/busybox"), tree.resolve("bin/busybox"));
    Files.createSymbolicLink(tree.resolve("bin/sh"), Path.of("busybox"));
    var layer = parent.resolve("layer.tar");
    run("tar", "-C", tree.toString(), "-cf", layer.toString(), ".");

    var directory = parent.resolve("layout");
    var blobs = Files.createDirectories(directory.resolve("blobs/sha256"));
    byte[] packed = Files.readAllBytes(layer);
    String layerHash = put(blobs, packed);
    byte[] config =
        """
        {"os":"linux","architecture":"%s","rootfs":{"type":"layers","diff_ids":["sha256:%s"]},
        "config":{"Cmd":["sh"],"Env":["PATH=/bin"]}}\
        """
            .formatted(architecture(), layerHash)
            .getBytes(StandardCharsets.UTF_8);
    byte[] manifest =
        """
        {"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",
        "config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:%s","size":%d},
        "layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar","digest":"sha256:%s","size":%d}]}\
        """
            .formatted(put(blobs, config), config.length, layerHash, packed.length)
            .getBytes(StandardCharsets.UTF_8);
    Files.writeString(
        directory.resolve("index.json"),
        """
        {"schemaVersion":2,"manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json",
        "digest":"sha256:%s","size":%d,"annotations":{"org.opencontainers.image.ref.name":"image"}}]}\
        """
            .formatted(put(blobs, manifest), manifest.length));
    Files.writeString(directory.resolve("oci-layout"), "{\"imageLayoutVersion\":\"1.0.0\"}");
    return new LayoutOnDisk(directory, packed.length);
  }

  private static String architecture() {
    return System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
  }

  private static String put(Path blobs, byte[] content) throws IOException {
    try {
      var hash = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
      Files.write(blobs.resolve(hash), content);
      return hash;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Sends it to a registry with skopeo, as {@code name}. */
  void send(String name, String... options) throws IOException, InterruptedException {
    var command = new ArrayList<>(List.of("skopeo", "copy", "--dest-tls-verify=false"));
    command.addAll(List.of(options));
    command.addAll(List.of("oci:" + directory + ":image", "docker://" + name));
    run(command.toArray(String[]::new));
  }

  private static void run(String... command) throws IOException, InterruptedException {
    var ran = Ran.of(ENVIRONMENT, List.of(command));
    if (ran.status() != 0) {
      throw new IllegalStateException(String.join(" ", command) + ": " + ran.err());
    }
  }
}
