package dev.caisson.oci;

import dev.caisson.linux.DeviceNumber;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Layers written as text, one entry a line, in the order of the archive.
 *
 * <p>{@code layer} starts a layer; {@code dir PATH/ MODE [UID:GID]}, {@code file PATH MODE
 * [UID:GID] "content"}, {@code link PATH -> TARGET}, {@code hard PATH => PATH}, {@code fifo PATH},
 * {@code chardev PATH MAJOR:MINOR}; {@code pax:KEY=VALUE} at the end adds a record. {@code x{n}}
 * repeats a letter.
 */
public final class LayerText {
  private static final Instant TIME = Instant.ofEpochSecond(1_000_000_000);
  private static final Pattern LINE =
      Pattern.compile(
          "(dir|file|link|hard|fifo|chardev)\\s+(\\S+)(?:\\s+(?:->|=>)\\s+(?<target>\\S+))?"
              + "(?:\\s+(?<device>\\d+:\\d+)$)?(?:\\s+(?<mode>\\d+))?(?:\\s+(?<owner>\\d+:\\d+))?"
              + "(?:\\s+\"(?<content>[^\"]*)\")?(?:\\s+pax:(?<key>[^=]+)=(?<value>.*))?");
  private static final byte[] NET_RAW_CAPABILITY =
      HexFormat.of().parseHex("0100000200200000000000000000000000000000");

  private LayerText() {}

  /** The archives of a resource beside the tests. */
  public static List<byte[]> resource(String name) {
    try (var stream = LayerText.class.getResourceAsStream(name)) {
      return layers(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The archive of one layer. */
  public static byte[] layer(String text) {
    return layers("layer\n" + text).getFirst();
  }

  static List<byte[]> layers(String text) {
    var layers = new ArrayList<List<String>>();
    text.lines()
        .filter(line -> !line.isBlank())
        .forEach(line -> {
          if (line.equals("layer")) {
            layers.add(new ArrayList<>());
          } else {
            layers.getLast().add(line);
          }
        });
    return layers.stream().map(LayerText::archive).toList();
  }

  private static byte[] archive(List<String> lines) {
    var bytes = new ByteArrayOutputStream();
    try (var writer = new TarWriter(bytes)) {
      for (String line : lines) {
        add(writer, line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void add(TarWriter writer, String line) throws IOException {
    Matcher matcher = LINE.matcher(line.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException("line '" + line + "'");
    }
    var type =
        switch (matcher.group(1)) {
          case "dir" -> TarEntry.Type.DIRECTORY;
          case "file" -> TarEntry.Type.FILE;
          case "link" -> TarEntry.Type.SYMBOLIC_LINK;
          case "hard" -> TarEntry.Type.HARD_LINK;
          case "fifo" -> TarEntry.Type.FIFO;
          default -> TarEntry.Type.CHARACTER_DEVICE;
        };
    byte[] content = or(matcher.group("content"), "").getBytes(StandardCharsets.UTF_8);
    String[] owner = or(matcher.group("owner"), "0:0").split(":");
    String[] device = or(matcher.group("device"), "0:0").split(":");
    SortedMap<String, byte[]> attributes = new TreeMap<>();
    if (matcher.group("key") != null) {
      attributes.put(
          matcher.group("key").substring("SCHILY.xattr.".length()),
          matcher.group("value").startsWith("<")
              ? NET_RAW_CAPABILITY
              : matcher.group("value").getBytes(StandardCharsets.UTF_8));
    }
    writer.add(
        new TarEntry(
            repeat(matcher.group(2)),
            type,
            repeat(or(matcher.group("target"), "")),
            Integer.parseInt(or(matcher.group("mode"), "0777"), 8),
            Long.parseLong(owner[0]),
            Long.parseLong(owner[1]),
            content.length,
            TIME,
            new DeviceNumber(Integer.parseInt(device[0]), Integer.parseInt(device[1])),
            attributes,
            List.of()),
        new ByteArrayInputStream(content));
  }

  private static String or(String value, String other) {
    return value == null ? other : value;
  }

  private static String repeat(String text) {
    return Pattern.compile("(.)\\{(\\d+)}")
        .matcher(text)
        .replaceAll(found -> found.group(1).repeat(Integer.parseInt(found.group(2))));
  }
}
