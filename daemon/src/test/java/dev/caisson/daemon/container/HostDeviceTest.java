package dev.caisson.daemon.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.library.CaissonException;
import dev.caisson.linux.DeviceNumber;
import dev.caisson.linux.DirectoryHandle;
import dev.caisson.linux.FileKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

  @Tag("case-74")
  @Tag("root")
  @Test
  void allDevicesAreFoundAndABrokenLinkIsToldAndLeftOut() throws IOException {
    Files.createDirectories(scratch.resolve("below"));
    Files.createDirectories(scratch.resolve("pts"));
    Files.writeString(scratch.resolve("plain"), "");
    Files.createSymbolicLink(scratch.resolve("alias"), Path.of("disk"));
    Files.createSymbolicLink(scratch.resolve("cdrom"), Path.of("sr0"));
    try (var top = DirectoryHandle.open(scratch);
        var below = top.child("below");
        var terminals = top.child("pts")) {
      top.makeNode("disk", FileKind.BLOCK_DEVICE, 0660, new DeviceNumber(7, 200));
      top.makeNode("null", FileKind.CHARACTER_DEVICE, 0666, new DeviceNumber(1, 3));
      below.makeNode("card", FileKind.CHARACTER_DEVICE, 0600, new DeviceNumber(226, 0));
      terminals.makeNode("0", FileKind.CHARACTER_DEVICE, 0620, new DeviceNumber(136, 0));
    }
    var warnings = new ArrayList<String>();

    var found = HostDevices.in(scratch, warnings);

    assertThat(found.keySet()).containsExactly("/dev/below/card", "/dev/disk");
    assertThat(found.get("/dev/disk").type()).isEqualTo("b");
    assertThat(found.get("/dev/disk").minor()).contains(200L);
    assertThat(warnings).singleElement().asString().contains("cdrom").contains("left out");
  }
}
