package dev.caisson.library.protocol;

/**
 * The answer to an attaching call.
 *
 * @param id container or exec attached to
 * @param token names the attachment in {@code stream.open}; empty when nothing is attached
 * @param terminal the process has a terminal, so there is no stream {@code stderr}
 */
public record Attached(String id, String token, boolean terminal) {}
