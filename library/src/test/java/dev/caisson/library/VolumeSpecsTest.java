package dev.caisson.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("case-77")
class VolumeSpecsTest {
  private static final Path HERE = Path.of("/here");

  @Test
  void volumesAreRead() {
    assertThat(VolumeSpecs.volume("/a:/b", HERE)).isEqualTo(bound("/a", "/b"));
    assertThat(VolumeSpecs.volume("/a:/b:ro,rslave", HERE))
        .isEqualTo(bound("/a", "/b", "ro", "rslave"));
    assertThat(VolumeSpecs.volume("./x:/b:z", HERE)).isEqualTo(bound("/here/x", "/b"));
  }

  private static MountSettings bound(String source, String destination, String... options) {
    return new MountSettings(MountSettings.Kind.BIND, source, destination, List.of(options), true);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "data:/b   | there are no volumes",
        "/b        | there are no volumes",
        "/a:b:/c   | use --mount",
        "/a:/b:/c:ro | use --mount",
        "/a:b      | use --mount",
        "a/b:/c    | neither an absolute path",
        "/a:/b:zz  | unknown option 'zz'",
        "/a:/b:ro,rw | exclude each other",
        "/a:/b:    | unknown option ''",
        ":/b       | the source is empty",
        "/a:       | the destination is empty"
      })
  void unclearVolumesAreRefused(String text, String why) {
    assertThatThrownBy(() -> VolumeSpecs.volume(text, HERE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(text)
        .hasMessageContaining(why);
  }

  @Test
  void mountsAreRead() {
    assertThat(VolumeSpecs.mount("type=bind,src=/a:b,dst=/c"))
        .isEqualTo(MountSettings.bind("/a:b", "/c"));
    assertThat(VolumeSpecs.mount("type=bind,\"src=/x,y\",dst=/c d"))
        .isEqualTo(MountSettings.bind("/x,y", "/c d"));
    assertThat(VolumeSpecs.mount("type=bind,\"src=/q\"\"q\",dst=/c"))
        .isEqualTo(MountSettings.bind("/q\"q", "/c"));
    assertThat(VolumeSpecs.mount("type=tmpfs,dst=/t,tmpfs-size=1m,tmpfs-mode=1770"))
        .isEqualTo(MountSettings.tmpfs("/t", "size=1048576", "mode=1770"));
    assertThat(VolumeSpecs.mount("type=bind,source=/a,target=/b,readonly,bind-propagation=rslave"))
        .isEqualTo(MountSettings.bind("/a", "/b", "ro", "rslave"));
    assertThat(VolumeSpecs.mount("type=bind,src=/a,dst=/b,ro=false"))
        .isEqualTo(MountSettings.bind("/a", "/b"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "type=bind,src=/a",
        "type=bind,src=/a,dst=/b,dst=/c",
        "type=bind,src=/a,dst=/b,target=/c",
        "type=bind,src=/a,dst=/b,readonly=maybe",
        "type=bind,src=a,dst=/b",
        "type=bind,dst=/b",
        "type=bind,src=/a,dst=b",
        "type=bind,src=/a,dst=/b,odd=1",
        "type=bind,src=/a,dst=/b,tmpfs-size=1",
        "type=tmpfs,src=/a,dst=/b",
        "type=tmpfs,dst=/b,tmpfs-mode=9",
        "type=tmpfs,dst=/b,tmpfs-size=big",
        "type=volume,src=a,dst=/b",
        "src=/a,dst=/b",
        "type=bind,\"src=/a,dst=/b",
        "type=bind,\"src=/a\"x,dst=/b",
        ""
      })
  void unclearMountsAreRefused(String text) {
    assertThatThrownBy(() -> VolumeSpecs.mount(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("mount '" + text + "'");
  }

  @Test
  void fileSystemsInMemoryAreRead() {
    assertThat(VolumeSpecs.tmpfs("/t")).isEqualTo(MountSettings.tmpfs("/t"));
    assertThat(VolumeSpecs.tmpfs("/t:size=1m,noexec"))
        .isEqualTo(MountSettings.tmpfs("/t", "size=1m", "noexec"));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "512, 512",
    "1b, 1",
    "1k, 1024",
    "1K, 1024",
    "1kb, 1024",
    "1KiB, 1024",
    "1.5g, 1610612736",
    "0.5, 0",
    "64m, 67108864",
    "2t, 2199023255552",
    "'64 m', 67108864"
  })
  void sizesAreRead(String text, long bytes) {
    assertThat(ByteSizes.parse(text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "m", ".", "1x", "-1", "1.2.3", "1kk", "1e3m", "9e", "0x10", "1ib", "1mi"})
  void whatIsNoSizeIsRefused(String text) {
    assertThatThrownBy(() -> ByteSizes.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("size '" + text + "'");
  }
}
