package dev.caisson.library;

/**
 * A device node of the host given to a container.
 *
 * @param source path on the host; a link is followed once
 * @param destination path in the container
 * @param access any of {@code r}, {@code w}, {@code m} (mknod)
 */
public record DeviceSettings(String source, String destination, String access) {}
