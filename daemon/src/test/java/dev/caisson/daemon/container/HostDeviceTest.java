package dev.caisson.daemon.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.library.CaissonException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostDeviceTest {
  @TempDir Path scratch;

  @Tag("case-74")
  @Test
  void aLinkToADeviceGivesTheDeviceItself() throws IOException {
    var link = Files.createSymbolicLink(scratch.resolve("by-name"), Path.of("/dev/null"));

    var device = HostDevice.find(link.toString());

    assertThat(device).isEqualTo(HostDevice.find("/dev/null"));
    assertThat(device.type()).isEqualTo("c");
    assertThat(device.major()).isEqualTo(1);
    assertThat(device.minor()).isEqualTo(3);
  }

  @Tag("case-74")
  @Test
  void aBrokenLinkAndAPlainFileAreRefusedByName() throws IOException {
    var broken = Files.createSymbolicLink(scratch.resolve("broken"), Path.of("/dev/no-such"));
    var plain = Files.writeString(scratch.resolve("plain"), "");

    assertThatThrownBy(() -> HostDevice.find(broken.toString()))
        .isInstanceOf(CaissonException.class)
        .hasMessageContaining(broken.toString());
    assertThatThrownBy(() -> HostDevice.find(plain.toString()))
        .isInstanceOf(CaissonException.class)
        .hasMessageContaining("no device node");
  }
}
