package dev.caisson.oci;

import dev.caisson.json.Json;
import dev.caisson.linux.DeviceNumber;
import dev.caisson.linux.Program;
import dev.caisson.linux.Spawn;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The image {@code builtin/busybox}: made on the machine from its statically linked busybox, so
 * that a first container needs no network. It is a proper image: one layer, a config, a manifest,
 * the same digest for the same busybox.
 */
final class BuiltinBusybox {
  static final String NAME = "builtin/busybox";

  private static final Path BUSYBOX = Path.of("/bin/busybox");
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final Instant TIME = Instant.EPOCH;
  private static final int DIRECTORY_MODE = 0755;
  private static final int FILE_MODE = 0644;
  private static final int PROGRAM_MODE = 0755;
  private static final int LINK_MODE = 0777;

  private static final Map<String, Integer> SPECIAL_DIRECTORIES =
      Map.of("tmp", 01777, "var/tmp", 01777, "root", 0700, "proc", 0555, "sys", 0555);

  private static final List<String> DIRECTORIES =
      List.of(
          "bin",
          "dev",
          "etc",
          "home",
          "proc",
          "root",
          "run",
          "sbin",
          "sys",
          "tmp",
          "usr",
          "usr/bin",
          "usr/sbin",
          "var",
          "var/log",
          "var/spool",
          "var/tmp");

  private static final Map<String, String> FILES =
      new TreeMap<>(
          Map.of(
              "etc/passwd",
              """
              root:x:0:0:root:/root:/bin/sh
              daemon:x:1:1:daemon:/usr/sbin:/bin/false
              bin:x:2:2:bin:/bin:/bin/false
              sys:x:3:3:sys:/dev:/bin/false
              mail:x:8:8:mail:/var/spool/mail:/bin/false
              www-data:x:33:33:www-data:/var/www:/bin/false
              operator:x:37:37:Operator:/var:/bin/false
              nobody:x:65534:65534:nobody:/home:/bin/false
              """,
              "etc/group",
              """
              root:x:0:
              daemon:x:1:
              bin:x:2:
              sys:x:3:
              adm:x:4:
              tty:x:5:
              disk:x:6:
              mail:x:8:
              wheel:x:10:root
              www-data:x:33:
              operator:x:37:
              users:x:100:
              nogroup:x:65534:
              """,
              "etc/nsswitch.conf",
              "hosts: files dns\n"));

  private final ContentStore content;
  private final LayerStore layers;

  BuiltinBusybox(ContentStore content, LayerStore layers) {
    this.content = content;
    this.layers = layers;
  }

  /** Makes the image, or finds that it is there, and answers with its manifest's descriptor. */
  Descriptor make() {
    if (!Files.isExecutable(BUSYBOX)) {
      throw new ImageException(
          ImageException.Kind.NOT_FOUND,
          "make image '" + NAME + "'",
          "there is no " + BUSYBOX,
          "install package busybox-static");
    }
    try {
      var program = Files.readAllBytes(BUSYBOX);
      if (isDynamic(program)) {
        throw new ImageException(
            ImageException.Kind.INVALID,
            "make image '" + NAME + "'",
            BUSYBOX + " needs shared libraries",
            "install package busybox-static");
      }
      return make(program, applets());
    } catch (IOException e) {
      throw new ImageException(
          ImageException.Kind.INTERNAL,
          "make image '" + NAME + "'",
          String.valueOf(e.getMessage()),
          "",
          e);
    }
  }

  private Descriptor make(byte[] program, List<String> applets) throws IOException {
    var tar = tar(program, applets);
    var layer = Descriptor.of(Descriptor.LAYER, tar);
    content.add(tar);
    layers.unpack(
        List.of(),
        Image.ChainId.of(List.of(layer.digest())).getFirst(),
        layer.digest(),
        new Unpacking(layer.digest().value(), layer.mediaType(), LayerLimits.USUAL),
        () -> new ByteArrayInputStream(tar));
    var config =
        Json.write(
            new ImageConfig(
                Optional.of(TIME),
                Architecture.own(),
                "linux",
                Optional.of(
                    new ImageConfig.Run(
                        "",
                        Map.of(),
                        List.of(
                            "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
                        List.of(),
                        List.of("sh"),
                        Map.of(),
                        "/",
                        Map.of(),
                        "",
                        Map.of())),
                new ImageConfig.RootFs("layers", List.of(layer.digest())),
                Map.of(
                    "history", List.of(Map.of("created_by", "caisson: busybox of this machine")))));
    content.add(config);
    var manifest =
        Json.write(
            new Manifest(
                2,
                Descriptor.MANIFEST,
                Descriptor.of(Descriptor.CONFIG, config),
                List.of(layer),
                Map.of()));
    content.add(manifest);
    return Descriptor.of(Descriptor.MANIFEST, manifest);
  }

  /** An ELF file with a section that names its interpreter; static ones have none. */
  private static boolean isDynamic(byte[] program) {
    return new String(program, 0, Math.min(4096, program.length), StandardCharsets.ISO_8859_1)
        .contains("/ld-linux");
  }

  private static List<String> applets() throws IOException {
    var result = Program.run(Spawn.of(List.of(BUSYBOX.toString(), "--list-full")), LIMIT);
    if (!result.succeeded()) {
      throw new IOException(BUSYBOX + " --list-full " + result.outcome());
    }
    return new String(result.output(), StandardCharsets.UTF_8)
        .lines()
        .filter(path -> !path.equals("bin/busybox"))
        .sorted()
        .toList();
  }

  private static byte[] tar(byte[] program, List<String> applets) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var tar = new TarWriter(bytes)) {
      for (var name : DIRECTORIES) {
        tar.add(entry(name + "/", TarEntry.Type.DIRECTORY, "", mode(name), 0));
      }
      addFile(tar, "bin/busybox", PROGRAM_MODE, program);
      for (var name : applets) {
        tar.add(entry(name, TarEntry.Type.SYMBOLIC_LINK, "/bin/busybox", LINK_MODE, 0));
      }
      for (var file : FILES.entrySet()) {
        addFile(tar, file.getKey(), FILE_MODE, file.getValue().getBytes(StandardCharsets.UTF_8));
      }
    }
    return bytes.toByteArray();
  }

  private static int mode(String directory) {
    return SPECIAL_DIRECTORIES.getOrDefault(directory, DIRECTORY_MODE);
  }

  private static void addFile(TarWriter tar, String path, int mode, byte[] content)
      throws IOException {
    tar.add(
        entry(path, TarEntry.Type.FILE, "", mode, content.length),
        new ByteArrayInputStream(content));
  }

  private static TarEntry entry(
      String path, TarEntry.Type type, String target, int mode, long size) {
    return new TarEntry(
        path,
        type,
        target,
        mode,
        0,
        0,
        size,
        TIME,
        DeviceNumber.NONE,
        Collections.emptySortedMap(),
        List.of());
  }
}
