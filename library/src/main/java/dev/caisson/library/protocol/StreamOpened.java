package dev.caisson.library.protocol;

/**
 * The answer to {@code stream.open}; after it come raw bytes.
 *
 * @param kept the connection outlives the daemon; otherwise its end may be the daemon's
 */
public record StreamOpened(boolean kept) {}
