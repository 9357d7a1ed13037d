package dev.caisson.json;

/**
 * Where something stands in a document.
 *
 * @param line from 1
 * @param column from 1
 */
public record JsonPlace(int line, int column) {}
