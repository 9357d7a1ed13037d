package dev.caisson.library;

import java.time.Instant;
import java.util.Optional;

/**
 * A line of {@code caisson images}.
 *
 * @param id digest of the image's config
 * @param name full reference
 * @param digest digest of what the name points to
 * @param created when the image was made, if it says so
 * @param bytes size of its layers as stored, compressed
 * @param unpackedBytes size of its unpacked layers on disk, as measured when they were unpacked
 */
public record ImageSummary(
    String id,
    String name,
    String digest,
    Optional<Instant> created,
    long bytes,
    long unpackedBytes) {}
