package dev.caisson.linux;

/**
 * Number of a device: what a device file stands for, or the device that a file lies on.
 *
 * @param major 0 to 4,095
 * @param minor 0 to 1,048,575
 */
public record DeviceNumber(int major, int minor) {
  /** The device of overlay's whiteouts, 0:0. */
  public static final DeviceNumber NONE = new DeviceNumber(0, 0);

  public DeviceNumber {
    if (major < 0 || major > 0xFFF || minor < 0 || minor > 0xFFFFF) {
      throw new IllegalArgumentException(
          "device " + major + ":" + minor + ": major goes to 4095, minor to 1048575");
    }
  }

  /** The form that mknod(2) takes. Source: makedev(3). */
  long encoded() {
    return (minor & 0xFFL) | ((long) major << 8) | ((minor & 0xFFF00L) << 12);
  }

  @Override
  public String toString() {
    return major + ":" + minor;
  }
}
