package dev.caisson.daemon.container;

import dev.caisson.engine.spec.Device;
import dev.caisson.engine.spec.Resources.DeviceRule;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.DeviceSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The specification's {@code linux.devices}, and the rules that go with them. */
final class DeviceSection {
  private DeviceSection() {}

  /**
   * The nodes that are made: those asked for, before them all of the host's for a privileged
   * container.
   *
   * @param warnings gets sentences about what is left out
   */
  static List<Device> nodes(ContainerSettings settings, List<String> warnings) {
    var nodes =
        settings.security().privileged()
            ? HostDevices.in(Path.of("/dev"), warnings)
            : new LinkedHashMap<String, Device>();
    for (var wanted : settings.devices()) {
      nodes.put(wanted.destination(), HostDevice.find(wanted.source()).at(wanted.destination()));
    }
    return List.copyOf(nodes.values());
  }

  /** Nothing is allowed but what is given; everything is to a privileged container. */
  static List<DeviceRule> rules(ContainerSettings settings) {
    var rules = new ArrayList<DeviceRule>();
    rules.add(
        new DeviceRule(
            Optional.of(settings.security().privileged()),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of("rwm"),
            Map.of()));
    settings.devices().forEach(wanted -> rules.add(rule(wanted)));
    return rules;
  }

  private static DeviceRule rule(DeviceSettings wanted) {
    if (!wanted.access().matches("[rwm]{1,3}")) {
      throw Refusal.of(
          "device access '" + wanted.access() + "'", "no such right", "give letters of rwm");
    }
    var device = HostDevice.find(wanted.source());
    return new DeviceRule(
        Optional.of(true),
        Optional.of(device.type()),
        Optional.of(device.major()),
        Optional.of(device.minor()),
        Optional.of(wanted.access()),
        Map.of());
  }
}
